# Uses kubeclient, which asks discovery for the kinds: client.rb NAME.
require 'kubeclient'
require 'timeout'

name = ARGV.fetch(0)
config = Kubeclient::Config.read(ENV.fetch('KUBECONFIG'))
context = config.context
api = Kubeclient::Client.new(
  context.api_endpoint + '/apis/flowcontrol.apiserver.k8s.io', 'v1',
  ssl_options: context.ssl_options, auth_options: context.auth_options
)

schema = lambda do |precedence|
  Kubeclient::Resource.new(
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema',
    metadata: { name: name, labels: { client: name } },
    spec: { matchingPrecedence: precedence, priorityLevelConfiguration: { name: name } }
  )
end

Timeout.timeout(60) do
  api.create_priority_level_configuration(
    Kubeclient::Resource.new(
      metadata: { name: name },
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } }
    )
  )
  before = api.get_flow_schemas.resourceVersion
  api.create_flow_schema(schema.call(500))
  api.patch_flow_schema(name, spec: { matchingPrecedence: 600 })
  api.apply_flow_schema(schema.call(700).to_h, field_manager: 'ruby', force: true)
  api.delete_flow_schema(name)
  watcher = api.watch_flow_schemas(label_selector: "client=#{name}", resource_version: before)
  watcher.each do |event|
    next unless event.type == 'DELETED'
    raise "deleted with #{event.object.spec.matchingPrecedence}" unless event.object.spec.matchingPrecedence == 700

    watcher.finish
  end
  api.delete_priority_level_configuration(name)
end
puts Kubeclient::VERSION

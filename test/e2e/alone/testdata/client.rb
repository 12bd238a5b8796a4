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

level = Kubeclient::Resource.new(
  metadata: { name: name },
  spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } }
)
schema = lambda do |precedence|
  Kubeclient::Resource.new(
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema',
    metadata: { name: name, labels: { client: name } },
    spec: {
      matchingPrecedence: precedence, priorityLevelConfiguration: { name: name },
      rules: [{
        subjects: [{ kind: 'User', user: { name: name } }],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/version'] }]
      }]
    }
  )
end

Timeout.timeout(60) do
  before = api.get_flow_schemas.resourceVersion
  puts 'works: discovery', 'works: list'

  api.create_priority_level_configuration(level)
  api.create_flow_schema(schema.call(500))
  puts 'works: create'

  raise 'get' unless api.get_flow_schema(name).spec.matchingPrecedence == 500

  puts 'works: get'

  api.patch_flow_schema(name, spec: { matchingPrecedence: 600 })
  puts 'works: patch'

  begin
    api.apply_flow_schema(schema.call(700), field_manager: 'ruby', force: true)
    raise 'apply_flow_schema takes a Resource now'
  rescue Kubeclient::HttpError => e
    raise unless e.error_code == 400
  end
  api.apply_flow_schema(schema.call(700).to_h, field_manager: 'ruby', force: true)
  puts 'needs: `apply_flow_schema`: a Hash, `resource.to_h`'

  api.delete_flow_schema(name)
  api.delete_priority_level_configuration(name)
  puts 'works: delete'

  watcher = api.watch_flow_schemas(label_selector: "client=#{name}", resource_version: before)
  watcher.each do |event|
    next unless event.type == 'DELETED'
    raise "deleted with #{event.object.spec.matchingPrecedence}" unless event.object.spec.matchingPrecedence == 700

    watcher.finish
  end
  puts 'works: watch ended by `finish`'
end
puts "version: #{Kubeclient::VERSION}"

// Package suite tests expectations about a flow-control configuration: requests, and the
// flow schema, priority level, flow and seats that each must get. A suite is a file in a
// repository, next to the objects. It needs no cluster, so that it runs in CI.
//
// # Form
//
//	apiVersion: suite.flowcontrol-apiserver.io/v1
//	kind: Suite
//	configuration:
//	  release: "1.33"       # built-in objects of this release of Kubernetes
//	  files: [levels.yaml, schemas/]   # merged over them; relative to the suite
//	  seats: 600            # of one API server; 600 if not set
//	  server: kube-apiserver           # or flowcontrol-apiserver: who estimates seats
//	facts:                  # by resource and API group; needed for seats
//	  pods: {objects: 10000, bytes: 40000000, watchers: 500}
//	  deployments.apps: {objects: 40}
//	cases:
//	- name: a builder lists pods
//	  request:
//	    verb: list
//	    group: ""           # the API group; empty for the core group
//	    resource: pods
//	    subresource: ""
//	    namespace: ci       # not set: all namespaces, or a resource without
//	    name: ""
//	    user: system:serviceaccount:ci:builder
//	    groups: []          # completed as package explain says
//	    options: {limit: 500, labelSelector: app=web}
//	  expect:
//	    flowSchema: builders
//	    priorityLevel: workload-low
//	    flow: system:serviceaccount:ci:builder   # the flow distinguisher
//	    seats: 10
//	- name: probes are exempt
//	  request: {verb: get, path: /readyz, user: system:anonymous}
//	  expect: {flowSchema: probes}
//
// An unknown or duplicate field is an error. An expectation that is not set is not tested;
// a case must have one. Options are the options of a list or a watch: labelSelector, fieldSelector,
// limit, resourceVersion, resourceVersionMatch, continue, sendInitialEvents.
//
// Requests are classified and estimated by package explain. Seats is the number that the request
// holds while it executes or after, whichever is larger.
//
// # Result
//
// The JSON form of Result is stable: fields are added, but not renamed or removed.
package suite

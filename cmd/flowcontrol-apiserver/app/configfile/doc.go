// Package configfile reads the configuration file of flowcontrol-apiserver: a YAML or
// JSON object that says what flags say.
//
//	apiVersion: config.flowcontrol-apiserver.io/v1alpha1
//	kind: FlowControlAPIServerConfiguration
//	etcdServers: [https://10.0.0.7:2379]
//	etcdCAFile: /etc/flowcontrol/etcd-ca.crt
//	maxRequestsInflight: 800
//	featureGates:
//	  WatchList: true
//
// Its fields are derived from the flags, so that there is one list of settings, with one
// set of defaults and one validation: a field is named after its flag in camel case, and
// has the type of the flag.
//
//	type of the flag       type of the field
//	bool                   boolean
//	int, float             number
//	duration, string, ...  string
//	list                   array of strings
//	map                    object whose values are strings, numbers or booleans
//
// A word that this project's flags have in lower case is CamelCase in the file, as listCost:
// Learned for --list-cost=learned. Words of kube-apiserver's flags stay as they are.
//
// Decoding is strict, as in Kubernetes' component configurations: unknown fields,
// duplicate fields, null and other types are errors, each with its line. A flag on the
// command line overrides its field; lists and maps are replaced, not merged. Relative
// paths in fields are relative to the working directory of the server, as in flags.
package configfile

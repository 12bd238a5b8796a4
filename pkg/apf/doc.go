// Package apf is API Priority and Fairness for servers built on k8s.io/apiserver, and for
// other programs with an http.Handler. It has the behaviour, configuration, metrics and
// debug endpoints of the engine of that library, at a fraction of its cost.
//
// A server adopts it with package options, which needs no client of the cluster. A server that
// follows the objects of a cluster with informers of its own needs one line in its
// configuration:
//
//	config.FlowControl, err = apf.New(apf.ConfigFor(informers, client.FlowcontrolV1(), seats))
//
// informers is a k8s.io/client-go/informers.SharedInformerFactory that the server
// starts, client the typed client that writes status, and seats the number of requests
// that may execute at once. The handler chain of the library does the rest.
//
// Each further step is one call:
//
//   - InstallMetrics serves the metrics, or Registry has them;
//   - Filter returns what goes around and into the handler chain, for what the library's filter
//     does not do, and a whole filter for a program without such a chain;
//   - Apply configures without an API, from files or Go values.
//
// There is an Example of each. docs/engine.md in the repository has what an adopter gets,
// the differences from k8s.io/apiserver, and how to roll back.
//
// Several FlowControls may live in one process. Config.Clock replaces the time, for tests.
//
// # The total
//
// The number of seats is usually a guess. Config.TotalControl makes the engine recommend
// a number from the load of the machine, in the mode total.Monitor, or follow the
// recommendation, in the mode total.Adaptive:
//
//	config := apf.ConfigFor(informers, client.FlowcontrolV1(), seats)
//	config.TotalControl = total.Options{Mode: total.Adaptive, Max: 1000}
//
// # What lists cost
//
// Without Filter a list costs what it costs in the adopter's release of k8s.io/apiserver.
// FilterOptions.ListCost chooses: by the number of objects, by their size, or by the memory that
// these lists took, which the filter measures:
//
//	filter := flowControl.Filter(apf.FilterOptions{
//		Objects:  apf.ObjectsOf(c.StorageObjectCountTracker.Get),
//		Sizes:    apf.SizesOf(c.StorageObjectCountTracker.Get),
//		ListCost: estimate.CostLearned,
//	})
//	return filter.Around(build(filter.Inside(handler), c))
//
// The debug endpoint list_costs shows the learned costs.
//
// # Lists that bypass the watch cache
//
// When the watch cache lags, the library reads lists from etcd that were estimated as reads from
// the cache. With the storages of package storage they wait for seats again, and share reads.
//
// # Packages
//
// A package imports only packages of lower levels.
//
//	L0  clock        time, real and virtual
//	    seats        seats, seat-seconds, work, virtual time
//	    flow         request attributes, flow hashes, hands of queues
//	    allocation   limits of priority levels by shares, and by demand
//	    names        API groups and keys of annotations of this project
//	    periodic     waits and periodic calls
//	L1  rules        which requests a flow schema matches
//	    estimate     work estimates of lists and writes, by formulas and as learned
//	    queueset     fair queuing on one priority level
//	L2  classify     an index of flow schemas
//	    limiter      queueset for a program that is not an API server
//	L3  engine       classifier and priority levels
//	L4  total        the total of seats that the machine can handle
//	L5  filter       flow control in a handler chain
//	    configsync   API objects -> engine
//	    fairhttp     limiter in front of an http.Handler
//	L6  apf          flowcontrol.Interface of k8s.io/apiserver
//	L7  options      flags and ApplyTo for a server, sources of the configuration
//	    storage      seats and shared reads of lists that bypass the watch cache
//
// Packages below internal are not for adopters:
//
//	L0  internal/stats            counters and histograms
//	    internal/guarded          state that is reachable only while its lock is held
//	    internal/heavyhitters     flows that used the most seat-seconds in the last minutes
//	L1  internal/rejections       last rejected requests of one priority level
//	L5  internal/statussync       the condition Dangling of FlowSchemas
//	    internal/debugendpoints   /debug/api_priority_and_fairness/
//	    internal/metrics          Prometheus metrics
//
// # What may change
//
// The module is v0. A minor release may change:
//
//   - the Go API of this package and of options, filter, total and estimate: each change has a
//     line in CHANGELOG.md that says what to write instead;
//   - the Go API of the other packages, without a line for each name.
//
// A patch release changes no Go API. No release changes, without a year of notice:
//
//   - what a configuration means: which requests match, how seats are divided and queued;
//   - names and labels of metrics, paths and columns of debug endpoints, flags of options;
//   - which releases of k8s.io/apiserver build with it, but to add newer ones and to drop one
//     that Kubernetes has ended support for.
//
// L0 to L4 use neither HTTP nor the API machinery, and run in virtual time. Package limiter, and all that
// it needs, uses Go's library alone.
package apf

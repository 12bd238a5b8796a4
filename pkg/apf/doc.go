// Package apf is API Priority and Fairness for servers built on
// k8s.io/apiserver: the same behaviour towards clients, the same
// configuration, metrics and debug endpoints as that library's own engine, at
// a fraction of its cost.
//
// It is adopted by one line, where the server's configuration is put together:
//
//	config.FlowControl, err = apf.New(apf.ConfigFor(informers, client.FlowcontrolV1(), seats))
//
// informers is a k8s.io/client-go/informers.SharedInformerFactory, started by
// the server, client the typed client to write status with, and seats the
// number of requests that may execute at once. The handler chain of the library
// does the rest. A server that puts its handler chain together itself saves the
// cost of the library's filter too, by filter.New in its place.
//
// Metrics are collected by (*FlowControl).Collector. As the library registers
// families of the same names in its own registry, ours go into another, and one
// handler that leaves out what it has twice serves both:
//
//	collector := config.FlowControl.(*apf.FlowControl).Collector()
//	own.MustRegister(collector)
//	paths := server.Handler.NonGoRestfulMux
//	paths.Unregister("/metrics")
//	paths.Handle("/metrics", metrics.Handler(legacyregistry.DefaultGatherer, own, collector.Names(), componentmetrics.HandlerOpts{}))
//
// own is a prometheus.NewRegistry(), server what config.Complete().New returned,
// and metrics package metrics below.
//
// # Packages
//
// A package imports only packages of lower levels.
//
//	L0  clock           time, real and virtual
//	    seats           seats, seat-seconds, the work of one request
//	    stats           counters and histograms that cost a request little
//	    allocation      nominal, minimum, maximum and current limits
//	    demand          mean, deviation, high-water mark, smoothed envelope
//	    flow            request attributes, identity of flows, hands of queues
//	    mandatory       names of the mandatory flow schemas and priority levels
//	L1  classify        attributes -> flow schema and distinguisher
//	    estimate        what lists and writes cost, in seats
//	    queueset        fair queuing of one level
//	L2  prioritylevel   one level's life
//	L3  engine          classifier and levels together
//	L4  filter          the engine in front of an http.Handler
//	    configsync, statussync, borrowing, debugendpoints, metrics
//	    apf             what servers see
//
// L0 to L3 know neither HTTP nor the API machinery: they run on plain values
// and in virtual time.
package apf

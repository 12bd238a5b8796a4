// Command kubectl-apf is the kubectl plug-in "kubectl apf". Under the name kubectl_complete-apf it
// completes the words of a command line. It answers what operators ask about flow control: which flow schema
// a request matches and why, who holds the seats, why a request was rejected, and what a
// change would do. The answers are computed by the packages of pkg/apf, so a command
// reports what a server does.
//
// # Packages
//
// A package imports only packages of lower levels. The lower levels read, the middle levels explain,
// and the upper levels, from record on, predict.
//
//	L0  configuration   FlowSchemas and PriorityLevelConfigurations that a server enforces
//	    replica         the state of one API server: levels, queues, requests, metrics
//	    table           tables for terminals of any width
//	    uri             requests, by their methods and URIs
//	    plain           the text of files, compressed or of Windows
//	    e2e/auditlines  events of tests, as lines of an audit log
//	    e2e/objects     flow schemas and priority levels of tests
//	L1  trace           the format of recorded requests
//	    source          configurations and replicas: a cluster, files, both, or saved API responses
//	L2  logs            audit events, request lines and waits of clients, within any transport
//	L3  explain         the flow schema, flow, queues and seats of a request; whose UIDs a response has
//	    top             who holds the seats
//	    findings        what is wrong or risky, by package lint, in traffic too
//	    why             what was delayed or rejected, and the remedy
//	    diff            what a change moves
//	L4  suite           expectations about a configuration
//	    dashboard       a page that shows what top answers
//	    record          traces of what API servers logged
//	    simulate        what a trace becomes under a configuration
//	    e2e/lines       requests of tests, as words of a command line
//	L5  size            how many seats meet goals, from requests or two scrapes
//	    isolate         flow schemas and a level for an operator
//	L6  command         flags, a file for each command
//	L7  kubectl-apf     main
//
// source does the input; the answers are pure functions of plain values, except that
// dashboard reads repeatedly. Each answer has a documented JSON form and writes itself as a
// table. Package command only parses flags.
package main

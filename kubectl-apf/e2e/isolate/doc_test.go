// Package isolate_test isolates operators with kubectl apf isolate on a real kube-apiserver:
// each of their requests must get the flow schema and the level that the response headers
// tell, and no request of others may move. package command tests the same requests
// without a server.
package isolate_test

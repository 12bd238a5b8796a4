// Package agreement_test compares what kubectl apf explain says about generated requests
// with what real API servers do with them: kube-apiserver and this server tell the flow
// schema and the priority level in response headers, and seats in their logs.
package agreement_test

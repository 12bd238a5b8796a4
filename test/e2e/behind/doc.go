// Package behind proves that a server which a kube-apiserver registers serves its users as that one
// would: on the store of kube-apiserver, beside its native v1; on an etcd of its own; and in place of
// kube-apiserver's flow control. The tests apply the files of artifacts/, unchanged. They send requests
// through the aggregator and directly, while kube-apiserver is unavailable, slow or in error, while pods and
// etcd change, and across releases. In the long lane Kubernetes' own tests of flow control run too.
package behind

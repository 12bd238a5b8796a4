// Package roundtrip tests that objects survive unchanged: through both versions,
// every encoding, the store and kubectl. It also tests that this server and a
// kube-apiserver on one etcd read each other's objects byte for byte, and write
// the same bytes.
//
// The short lane uses the same objects in each run. The long lane uses more
// objects, new ones in each run.
package roundtrip

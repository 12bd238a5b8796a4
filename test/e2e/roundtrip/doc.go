// Package roundtrip holds that objects come back as they were written: through
// both versions, every encoding, the store and kubectl; and that this server
// and a kube-apiserver on one etcd read each other's objects byte for byte, and
// write the same bytes.
//
// Objects are the same in each run of the short lane; the long lane makes others each
// time, and more of them.
package roundtrip

// Package roundtrip holds that objects come back as they were written: through
// both versions, every encoding, the store and kubectl; and that this server
// and a kube-apiserver on one etcd read each other's objects byte for byte, and
// write the same bytes.
//
// ROUNDTRIP_SEED repeats a run, whose seed the tests print; ROUNDTRIP_COUNT
// changes the number of generated objects.
package roundtrip

// Package roundtrip holds that objects come back as they were written: through
// both versions, every encoding, the store and kubectl; and that this server
// and a kube-apiserver on one etcd read each other's objects byte for byte, and
// write the same bytes.
//
// Objects are the same each time; another ROUNDTRIP_SEED makes others, and
// ROUNDTRIP_COUNT changes how many are generated.
package roundtrip

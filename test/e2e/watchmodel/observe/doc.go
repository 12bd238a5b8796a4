// Package observe puts into the terms of watchmodel what a server answered and
// what etcd holds. The two ways meet only there: the history comes from etcd
// through a client and a decoder of its own, not through any server.
package observe

// Package observe converts a server's answers and etcd's content to watchmodel.
// The two are independent: the history comes from etcd through a separate client
// and decoder, not through a server.
package observe

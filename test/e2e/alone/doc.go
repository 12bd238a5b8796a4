// Package alone proves what users of one server rely on, with real processes, a real etcd and real
// clients: what it enforces, advises, stores and says; that clients which leave, an etcd that fails
// and files that are missing do no lasting harm; and, in the long lane, that clients of others work.
// Tests that depend on the store run with the embedded etcd and with an etcd process.
package alone

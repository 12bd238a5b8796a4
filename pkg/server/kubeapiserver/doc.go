// Package kubeapiserver checks the kube-apiserver in front of this server: whether
// it is reachable, publishes its CA bundles, allows the requests that this server
// depends on, and has the same time.
//
// Each check is a readiness check. This server starts and is live without
// kube-apiserver. It becomes ready when every check that is not optional has
// passed once. A later failure is logged and shown in /readyz?verbose, but does
// not make the server unready: all replicas would become unready at once, for the
// same reason, and a kube-apiserver that recovers would find a Service without
// endpoints and the cached permissions unused. Requests that cannot be
// authenticated or authorized meanwhile are rejected one by one, by the library.
//
// A failure has a message and a cause. The message says what is missing and what
// to do. It contains no name and no address, and anyone who may read /readyz may
// read it. The cause is the full answer or error. It goes to the log, once when a
// failure begins or changes, and to /readyz/NAME, which requires a permission.
package kubeapiserver

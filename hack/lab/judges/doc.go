// Package judges lets hostile clients and tools of others loose on this project's server.
//
// # Hostile clients
//
// In all cases code of this project decides what happens: flow control, identity, and the
// bound on aliases. Go and k8s.io/apiserver guard connections, headers and other bodies, here as in
// kube-apiserver.
//
// A Case is one kind of attack. Face makes it while a mouse, a user with a small steady read, reads. No
// attack may make the server fail, store anything, or let anybody in; the mouse gets no server error; the
// server keeps within a stated bound of memory, and has no more goroutines and seats in use afterwards
// than before, soon; it holds little more, and its log stays short. Latencies are not judged: another
// program on the machine could change them. Attacks have a size, and end when they reach it.
//
// # Tools of others
//
// In the long lane slowhttptest and testssl.sh judge HTTP and TLS, beside kube-apiserver:
// docs/evidence/judges.md tells what they said. Chromium uses the page of `kubectl apf top --web`.
package judges

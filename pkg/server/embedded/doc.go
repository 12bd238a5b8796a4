// Package embedded holds what the server needs when it runs alone: one
// directory with the store, the certificates and the administrator's
// kubeconfig in it.
//
// The order of use is
//
//	OpenDataDirectory -> EnsureCertificates -> WriteKubeconfig -> StartEtcd
//
// and, to stop, Etcd.Close and then DataDirectory.Close. Whoever holds a
// DataDirectory holds its lock, so the other three need not think of a second
// process; that is why they take a *DataDirectory and not a path.
//
//	DIR/                            0700
//	  flowcontrol-apiserver.lock    0600  flock; the holder's process id
//	  admin.kubeconfig              0600
//	  pki/                          0700
//	    ca.crt ca.key               10 years
//	    serving.crt serving.key     1 year
//	    admin.crt admin.key         1 year, CN=flowcontrol-admin, O=system:masters
//	  etcd/                         0700
//	    client.sock                 0600
//	    member/                     the data of etcd
//
// # Nobody else reaches the store
//
// etcd has no idea of users here, so the way to it is closed instead: it
// listens on a unix domain socket inside the directory that only its owner may
// enter, and on nothing else. There is no listener for peers, because a single
// member has none; the peer address that etcd insists on is port 0 of the
// loopback, which nothing can listen on or dial. Compared with mutual TLS on the
// loopback, the socket leaves no port to scan, no certificate to renew, and no
// handshake to pay for.
//
// A socket's address is limited to about a hundred bytes and passes through URL
// parsers on its way to the client. A directory whose path is longer, or holds
// characters that a URL would change, is reached under the name
// /proc/self/fd/N, N being an open descriptor of the directory: short, plain,
// valid for both ends since both are this process, still the same socket in the
// same closed directory, and gone with the process. A second directory under
// /tmp would be left behind by a kill -9 and would have to be guarded as well.
//
// # Quick to start
//
// Of the time etcd takes to start, nearly all is an election timeout: one to two
// seconds in which no other member will speak up. The member is told to elect
// itself at once, so that what remains is reading the data.
// EnsureCertificates and StartEtcd touch different files and may run side by
// side.
//
// # What survives a crash
//
// etcd acknowledges a write once its log is fsynced; that default is not
// touched, so what was acknowledged is there after a kill -9 or a loss of power.
// The very first start is the exception that etcd itself does not cover: a log
// that was created but holds no entry yet describes a cluster without members,
// which never elects a leader. A mark in the directory says that the first start
// is under way. It is taken away before anybody is told where to write; a start
// that finds it begins anew.
//
// Data that were there before are read once from end to end before etcd gets
// them, because etcd meets a damaged page with a panic in some goroutine, and
// data of a newer release without a word.
//
// Certificates, keys and the kubeconfig are written to a temporary file, fsynced
// and renamed, keys before the certificates made from them, so that every
// interruption leaves something the next start completes. A renewed certificate
// keeps its key for the same reason.
package embedded

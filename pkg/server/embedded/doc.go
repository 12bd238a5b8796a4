// Package embedded keeps the state of a server that runs alone in one
// directory: an embedded etcd, certificates, and the administrator's kubeconfig.
//
// A server calls
//
//	OpenDataDirectory -> EnsureCertificates -> WriteKubeconfig -> StartEtcd
//
// and, to stop, Etcd.Close and then DataDirectory.Close. While it runs it calls
// EnsureCertificates and WriteKubeconfig now and then. EnsureCertificates and
// StartEtcd use different files and may run concurrently. A DataDirectory holds
// the lock on its directory, so that the functions that take one need not consider
// a second server.
//
//	DIR/                            0700
//	  flowcontrol-apiserver.lock    0600  locked; contains the holder's process ID
//	  admin.kubeconfig              0600
//	  pki/                          0700
//	    ca.crt ca.key               10 years
//	    serving.crt serving.key     1 year
//	    admin.crt admin.key         1 year, CN=flowcontrol-admin, O=system:masters
//	  etcd/                         0700
//	    client.sock                 0600
//	    member/                     etcd's data
//	  snapshots/                    0700  see package backup
//
// # Access to etcd
//
// The embedded etcd has no authentication. It listens only on a unix domain
// socket inside the directory, which only the owner can enter. A single member
// has no peers and no peer listener; the peer URL that etcd requires has port 0
// of the loopback, which nothing can listen on or dial. Unlike mutual TLS on the
// loopback, the socket has no port to scan, no certificate to renew and no
// handshake.
//
// A socket address is limited to about 100 bytes and passes through URL parsers.
// If the path of the directory is longer, or contains characters that a URL
// would change, etcd listens below /proc/self/fd/N, N being an open descriptor
// of the directory. Both ends are in this process, so the name is valid for
// both; it leads to the same socket and ends with the process. A directory under
// /tmp would need protection too, and a kill -9 would leave it behind.
//
// Another process of the same user reaches the etcd of a server through this socket:
// etcdctl, or RunningEtcd.
//
// # Startup time
//
// Nearly all of etcd's startup time is an election timeout. It is short here, since the only
// member waits for nobody. What remains is reading the data.
//
// # Space
//
// etcd compacts by its own settings. Compaction frees pages inside the database, which later
// writes use; a start defragments it if much is free. At the quota etcd rejects writes that need
// space, and continues to compact. A restart ends that state.
//
// # Crashes
//
// etcd acknowledges a write after fsync of its log. This default is unchanged:
// acknowledged writes survive a kill -9 and a loss of power. etcd does not cover
// an interruption of its very first start: a log that was created but has no
// entry describes a cluster without members, which never elects a leader. A file marks a
// store until its first start is complete, which is before StartEtcd returns. The next start
// removes a marked store, which has stored nothing.
//
// Existing data are read once from end to end before etcd opens them, because
// etcd meets a damaged page with a panic in some goroutine, and opens the data
// of a newer release without an error.
//
// Certificates, keys and the kubeconfig are written to a temporary file, fsynced
// and renamed, a key before its certificate, so that the next start completes
// whatever was interrupted. A renewed certificate keeps its key for the same
// reason.
//
// # Clocks
//
// Certificates are renewed by the clock of this machine, which may be wrong. The validity of a
// renewed certificate covers the replaced one's. So after a time with a wrong clock, ahead or
// behind, no certificate begins in the future or has expired: clients with right clocks accept
// every one.
//
// # Libraries
//
// The lock is etcd's fileutil.TryLockFile: an open file description lock on
// Linux, which NFS supports, and flock where the system has none. client-go's cert and keyutil
// parse certificates and keys and encode certificates. The rest is written here
// for a reason:
//
//   - Writability: fileutil.IsDirWriteable follows a symbolic link named .touch,
//     and truncates and removes a file of that name.
//   - Existence: fileutil.Exist is false after any error, and existing data could be overlooked.
//   - Files: the writers of cert, keyutil and clientcmd are neither atomic nor
//     durable.
//   - New keys: keyutil encodes them as SEC 1, which fewer clients read than
//     PKCS #8. Java's standard library does not.
//   - Signing: cert.NewSelfSignedCACert and its siblings read the system clock
//     and set no path length limit; renewal is tested with an injected clock.
//   - Checking the database: bbolt's Tx.Check panics on a damaged page in a
//     goroutine that it starts, which would end the process.
package embedded

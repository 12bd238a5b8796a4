package judges

import (
	"context"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

// Case is one kind of hostile client.
type Case struct {
	// Name says what the clients do.
	Name string
	// Small and Large are the sizes of the attack in the two lanes: connections, requests,
	// streams or watches.
	Small, Large int
	// Attack sends what hostile clients send, and returns when all of it has ended. It
	// returns an error if it could not be made.
	Attack func(ctx context.Context, s *Server, size Size, tally *Tally) error
	// Allowed are the answers that this server may give.
	Allowed []string
	// Memory is what this server may have resident at most, in bytes, by its own limits on
	// bodies, headers, streams and requests in flight.
	Memory int64
	// Kept is how much more this server may hold in the end than before, in bytes, if it is not
	// what caches hold.
	Kept int64
}

// Size is the extent of an attack.
type Size struct {
	// Count is the number of connections, requests, streams or watches.
	Count int
	// Hold is how long connections that only wait are held.
	Hold time.Duration
}

const (
	gigabyte = 1 << 30
	// ordinary is the bound of memory where an attack holds little on the server.
	ordinary = gigabyte
	// caches is what a server may hold more in the end than before an attack.
	caches = 64 << 20
	// unread is what the watch cache holds of watches that have ended, up to 20 KiB of each: a slice
	// of the watches to which it sent the last event keeps them until as many watch again
	// (watchersBuffer in k8s.io/apiserver/pkg/storage/cacher). kube-apiserver holds as much.
	unread = 256 << 20
)

// workers is the number of hostile requests that are sent at once.
const workers = 20

// Cases returns all cases.
func Cases() []Case {
	rejected := []string{"401", "403", "429"}
	return []Case{
		{"YAML aliases for 150 MB", 8, 40, asking(aliases()), []string{"400", "413", "429"}, ordinary, caches},
		{"HTTP/2 streams opened and reset", 4000, 200_000, resetStreams, []string{"streams", closed}, ordinary, caches},
		{"HTTP/2 streams opened and reset by an administrator, as fast as the server takes them", 20_000, 600_000, rapidReset, []string{"streams"}, ordinary, caches},
		{"users without permission, each another one", 1000, 100_000, asking(impersonating(traffic.User{Token: proxy})), rejected, ordinary, caches},
		{"anonymous clients, each with another path", 1000, 20_000, asking(paths()), rejected, ordinary, caches},
		{"random tokens", 1000, 20_000, asking(strangers(tokened)), rejected, ordinary, caches},
		{"clients that leave in the middle of a list", 200, 1000, leaveLists, []string{left, "429"}, ordinary, caches},
		{"clients that leave in the middle of an upload", 200, 1000, leaveUploads, []string{left, "429"}, ordinary, caches},
		{"clients that leave in the middle of a watch", 200, 1000, leaveWatches, []string{left, "429"}, ordinary, caches},
		// 100 KB for each watch, and the server itself. It comes last: what it leaves to the
		// garbage collector would count for the next one.
		{"watches that never read", 300, 10_000, unreadWatches, []string{open, closed}, 2 * gigabyte, unread},
	}
}

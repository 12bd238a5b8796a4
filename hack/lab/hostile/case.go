package hostile

import (
	"context"
	"time"
)

// Case is one kind of hostile client.
type Case struct {
	// Name says what the clients do.
	Name string
	// Small and Large are the sizes of the attack in the two lanes: connections, requests,
	// streams or watches.
	Small, Large int
	// Beside is the size for kube-apiserver, if that would need too much memory for Large.
	Beside int
	// Attack sends what hostile clients send, and returns when all of it has ended. It
	// returns an error if it could not be made.
	Attack func(ctx context.Context, s *Server, size Size, tally *Tally) error
	// Allowed are the answers that this server may give.
	Allowed []string
	// Memory is what this server may have resident at most, in bytes, by its own limits on
	// bodies, headers, streams and requests in flight.
	Memory int64
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
)

// workers is the number of hostile requests that are sent at once.
const workers = 32

// Cases returns all cases.
func Cases() []Case {
	rejected := []string{"401", "403", "429"}
	malformed := []string{"400", "413", "415", "422", "429", cutOff}
	return []Case{
		// Half of them never begin TLS. Go's server keeps a goroutine and its buffers for each.
		{"connections that send nothing", 500, 10_000, 0, idleConnections, []string{open, closed}, ordinary},
		{"TLS handshakes, and nothing else", 500, 20_000, 0, handshakes, []string{open, closed}, ordinary},
		{"headers, a byte a second", 100, 1000, 0, slowHeaders, []string{open, closed, "400", "408"}, ordinary},
		{"bodies, a byte a second", 50, 500, 0, slowBodies, []string{open, closed, "400", "429", "504"}, ordinary},
		{"bodies of 4 MB", 32, 200, 0, largeBodies, malformed, ordinary},
		{"bodies nested 100,000 deep", 16, 200, 0, deepBodies, malformed, ordinary},
		{"YAML aliases for 150 MB", 8, 40, 1, aliases, malformed, ordinary},
		{"duplicate keys and huge numbers", 24, 100, 0, strangeValues, malformed, ordinary},
		{"compressed bodies that explode", 16, 200, 0, compressedBodies, malformed, ordinary},
		{"a JSON patch that copies itself", 8, 100, 0, copyingPatches, append([]string{"200"}, malformed...), ordinary},
		{"HTTP/2 streams opened and reset", 4000, 200_000, 0, resetStreams, []string{"streams", closed}, ordinary},
		{"HTTP/2 streams opened and reset by an administrator, as fast as the server takes them", 20_000, 600_000, 0, rapidReset, []string{"streams"}, ordinary},
		{"users without permission, each another one", 1000, 100_000, 0, manyUsers, rejected, ordinary},
		{"anonymous clients, each with another path", 1000, 20_000, 0, randomPaths, rejected, ordinary},
		{"random tokens", 1000, 20_000, 0, randomTokens, rejected, ordinary},
		{"selectors, continue tokens and names that are large", 48, 480, 0, largeQueries, []string{"200", "400", "403", "404", "410", "414", "422", "429", "431", cutOff}, ordinary},
		{"headers over the limits", 30, 200, 0, largeHeaders, []string{"401", "403", "429", "431", closed, cutOff}, ordinary},
		{"forged identities", 22, 2200, 0, forgedIdentities, rejected, ordinary},
		// 100 KB for each watch, and the server itself. It comes last: what it leaves to the
		// garbage collector would count for the next one.
		{"watches that never read", 300, 10_000, 0, unreadWatches, []string{open, closed}, 2 * gigabyte},
	}
}

package ports

import (
	"math/rand/v2"
	"net"
	"strconv"
)

const (
	// firstPort and portCount are where Free looks: below the ports that the
	// kernel hands out by itself, so that no connection and no listener on port 0
	// gets one of these while its process is away, for a restart say.
	firstPort, portCount = 20_000, 10_000
	// portAttempts is how many ports Free tries for one that is free.
	portAttempts = 1000
)

// TB is the part of testing.TB that a port needs.
type TB interface {
	Helper()
	Cleanup(cleanup func())
	Fatalf(format string, args ...any)
}

// Free returns ports of 127.0.0.1 that are the test's until it ends: no other
// test gets them, in this process or another. Nobody listens on them yet.
func Free(t TB, count int) []int {
	t.Helper()
	ports := make([]int, 0, count)
	for attempt := 0; len(ports) < count; attempt++ {
		// Tests of other processes look here too: a seed would have them meet.
		port := firstPort + rand.IntN(portCount)
		mark, err := take(port)
		switch {
		case err == nil:
			t.Cleanup(func() { _ = mark.Close() })
			ports = append(ports, port)
		case attempt == portAttempts:
			t.Fatalf("no free port among %d tried from %d to %d: %v", portAttempts, firstPort, firstPort+portCount-1, err)
		}
	}
	return ports
}

// Listen returns a listener on a port of its own, open until it is closed or the
// test ends.
func Listen(t TB) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", Loopback(Free(t, 1)[0]))
	if err != nil {
		t.Fatalf("listening on a port of the test's own: %v", err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

// Loopback is the address of a port of the loopback, as host:port.
func Loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// take fails if another has the port. The mark, open as long as it is taken, is
// the UDP port of the same number: what is tested here speaks TCP alone.
func take(port int) (mark net.PacketConn, err error) {
	mark, err = net.ListenPacket("udp", Loopback(port))
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", Loopback(port))
	if err != nil {
		_ = mark.Close()
		return nil, err
	}
	return mark, listener.Close()
}

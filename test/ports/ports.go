package ports

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"time"
)

const (
	// firstPort and portCount are the range of Free. It is below the kernel's
	// range of ephemeral ports: no connection and no listener on port 0 gets one
	// of these ports while its server restarts.
	firstPort, portCount = 20_000, 10_000
	// portAttempts is the number of ports that Free tries for each port.
	portAttempts = 1000
)

// TB is the part of testing.TB that Free needs.
type TB interface {
	Helper()
	Cleanup(cleanup func())
	Fatalf(format string, args ...any)
}

// Free reserves ports of 127.0.0.1 until the test ends: no other test gets
// them, in this process or another. Nothing listens on them yet.
func Free(t TB, count int) []int {
	t.Helper()
	ports := make([]int, 0, count)
	for attempt := 0; len(ports) < count; attempt++ {
		// The choice is not seeded: tests of other processes would try the same
		// ports.
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

// Listen returns a listener on a reserved port. It is open until it is closed
// or the test ends.
func Listen(t TB) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", Loopback(Free(t, 1)[0]))
	if err != nil {
		t.Fatalf("listening on a port of the test's own: %v", err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

// Loopback returns the address of a port of the loopback, as host:port.
func Loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// take reserves a port and fails if another process has it. The reservation is
// a socket on the UDP port of the same number, because the tested servers use
// only TCP.
//
// Whether somebody listens is found out by connecting, not by listening: a process
// that another test starts at that moment would inherit the listener, and keep the
// port until it executes its program.
func take(port int) (mark net.PacketConn, err error) {
	mark, err = net.ListenPacket("udp", Loopback(port))
	if err != nil {
		return nil, err
	}
	connection, err := net.DialTimeout("tcp", Loopback(port), time.Minute)
	if err != nil {
		return mark, nil //nolint:nilerr // rejected: nobody listens
	}
	return nil, errors.Join(fmt.Errorf("port %d: somebody listens on it", port), connection.Close(), mark.Close())
}

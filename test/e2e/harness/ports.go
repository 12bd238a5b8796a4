package harness

import (
	"math/rand/v2"
	"net"
	"strconv"
)

const (
	// firstPort and portCount are where FreePorts looks: below the ports that the
	// kernel hands out by itself, so that no connection and no listener on port 0
	// gets one of these while its process is away, for a restart say.
	firstPort, portCount = 20_000, 10_000
	// portAttempts is how many ports FreePorts tries for one that is free.
	portAttempts = 1000
)

// FreePorts returns ports of 127.0.0.1 that are the test's until it ends: no
// other test gets them, in this process or another.
func FreePorts(t TB, count int) []int {
	t.Helper()
	ports := make([]int, 0, count)
	for attempt := 0; len(ports) < count; attempt++ {
		port := firstPort + rand.IntN(portCount)
		mark, err := takePort(port)
		switch {
		case err == nil:
			t.Cleanup(func() { _ = mark.Close() })
			ports = append(ports, port)
		case attempt == portAttempts:
			t.Fatalf("looking for a free port: %v", err)
		}
	}
	return ports
}

// takePort fails if another has the port. The mark, open as long as it is taken,
// is the UDP port of the same number: what is tested here speaks TCP alone.
func takePort(port int) (mark net.PacketConn, err error) {
	mark, err = net.ListenPacket("udp", loopback(port))
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", loopback(port))
	if err != nil {
		_ = mark.Close()
		return nil, err
	}
	return mark, listener.Close()
}

// loopback is the address of a port of the loopback.
func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

package harness

import (
	"net"
	"strconv"
)

// startAttempts is how often a process is started anew on other ports.
const startAttempts = 5

// FreePorts returns ports of 127.0.0.1 that were free a moment ago. All are
// held until the last is found, so they differ.
func FreePorts(t TB, count int) []int {
	t.Helper()
	ports := make([]int, 0, count)
	for range count {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatalf("looking for a free port: %v", err)
		}
		defer func() { _ = listener.Close() }()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// loopback is the address of a port of the loopback.
func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

package harness

import "github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"

// FreePorts returns ports of 127.0.0.1 that are the test's until it ends: no
// other test gets them, in this process or another.
func FreePorts(t TB, count int) []int { return ports.Free(t, count) }

// loopback is the address of a port of the loopback.
func loopback(port int) string { return ports.Loopback(port) }

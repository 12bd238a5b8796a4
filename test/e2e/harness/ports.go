package harness

import "github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"

// FreePorts returns ports of 127.0.0.1, reserved for the test until it ends. No
// other test gets them, in this process or another.
func FreePorts(t TB, count int) []int { return ports.Free(t, count) }

// loopback returns the loopback address of a port.
func loopback(port int) string { return ports.Loopback(port) }

// Package ports reserves ports of the loopback for a test.
//
// The kernel reuses the port of a closed listener on port 0: for another
// listener on port 0, or for the client side of a connection. So an address
// that is used after its listener is closed needs a port of Free. Examples are
// a server that starts or restarts, and an address where no server listens. A
// server that only listens until it is closed needs Listen, or
// net/http/httptest. test/repo forbids port 0 elsewhere in tests.
package ports

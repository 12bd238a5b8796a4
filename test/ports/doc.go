// Package ports gives a test ports of the loopback that are its own.
//
// A listener on port 0 gets a port that the kernel gives to somebody else as soon
// as it is closed: another listener on port 0, or the near end of a connection. An
// address that is used after its listener is closed, by a server that starts or
// starts again, or to find nobody there, needs a port of Free. A server that only
// listens until it is closed needs Listen, or net/http/httptest. test/repo forbids
// port 0 elsewhere in tests.
package ports

package main

import (
	"io"
	"net"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// piece is what was read at one time.
type piece struct {
	bytes []byte
	due   time.Time
}

// delayed listens for connections to a target whose answers arrive late, all by the same
// time, so that what is under way at once is not delayed more. It returns its address.
func delayed(o *harness.Owner, target string, by time.Duration) string {
	listener := ports.Listen(o)
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go pass(client, target, by)
		}
	}()
	return listener.Addr().String()
}

// pass passes on one connection. An end of either side ends both.
func pass(client net.Conn, target string, by time.Duration) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	pieces := make(chan piece, 1024)
	go func() {
		defer close(pieces)
		for {
			buffer := make([]byte, 32<<10)
			n, err := server.Read(buffer)
			if err != nil {
				return
			}
			pieces <- piece{buffer[:n], time.Now().Add(by)}
		}
	}()
	for p := range pieces {
		<-time.After(time.Until(p.due))
		if _, err := client.Write(p.bytes); err != nil {
			_ = server.Close() // ends the reader
			for range pieces {
			}
			return
		}
	}
}

package chaos

import (
	"io"
	"net"
	"regexp"
	"sync"
)

// Link is a TCP proxy before a process. While it is cut it passes nothing on, as a network that drops packets, and what
// was sent arrives when the cut ends.
type Link struct {
	listener net.Listener
	target   string

	mutex sync.Mutex
	cuts  map[string]chan struct{} // guarded by mutex: by source, closed when the cut ends
	done  chan struct{}            // closed when the link is
}

// Everyone is the source of all connections.
const Everyone = ""

// NewLink returns a link that accepts connections and passes them on to a host and port.
func NewLink(listener net.Listener, target string) *Link {
	l := &Link{listener: listener, target: target, cuts: map[string]chan struct{}{}, done: make(chan struct{})}
	go l.accept()
	return l
}

// Address is the host and port of the link.
func (l *Link) Address() string { return l.listener.Addr().String() }

// Close ends the link and its connections.
func (l *Link) Close() {
	_ = l.listener.Close()
	close(l.done)
}

// Cut stops what a source sends and gets. A source is the ID of an etcd member, or
// Everyone. Cut does nothing if the source is cut already.
func (l *Link) Cut(source string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.cuts[source] == nil {
		l.cuts[source] = make(chan struct{})
	}
}

// Mend ends a cut.
func (l *Link) Mend(source string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if over := l.cuts[source]; over != nil {
		close(over)
		delete(l.cuts, source)
	}
}

// pass waits until neither the source nor everyone is cut. It returns false if the
// link was closed.
func (l *Link) pass(source string) bool {
	for {
		l.mutex.Lock()
		over := l.cuts[source]
		if over == nil {
			over = l.cuts[Everyone]
		}
		l.mutex.Unlock()
		if over == nil {
			return true
		}
		select {
		case <-over:
		case <-l.done:
			return false
		}
	}
}

func (l *Link) accept() {
	for {
		connection, err := l.listener.Accept()
		if err != nil {
			return
		}
		go l.serve(connection)
	}
}

// sender matches the header that names a member of etcd to its peers.
var sender = regexp.MustCompile(`(?i)\r\nX-Server-From: ([0-9a-f]+)\r\n`)

// serve passes one connection on. Its first bytes tell its source.
func (l *Link) serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	first := make([]byte, 8<<10)
	n, err := client.Read(first)
	if err != nil {
		return
	}
	first = first[:n]
	source := Everyone
	if found := sender.FindSubmatch(first); found != nil {
		source = string(found[1])
	}
	if !l.pass(source) {
		return
	}
	server, err := net.Dial("tcp", l.target)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	if _, err := server.Write(first); err != nil {
		return
	}
	ended := make(chan struct{}, 2)
	go func() { l.copy(server, client, source); ended <- struct{}{} }()
	go func() { l.copy(client, server, source); ended <- struct{}{} }()
	select {
	case <-ended: // both ends see it at once
	case <-l.done:
	}
}

func (l *Link) copy(to io.Writer, from io.Reader, source string) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if !l.pass(source) {
				return
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

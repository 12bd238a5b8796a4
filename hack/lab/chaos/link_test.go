package chaos

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// echo answers each line with itself.
func echo(t *testing.T) string {
	t.Helper()
	listener := ports.Listen(t)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(connection, connection) }()
		}
	}()
	return listener.Addr().String()
}

// caller is a client of a link.
type caller struct {
	net.Conn
	lines *bufio.Reader
}

func call(t *testing.T, l *Link, greeting string) caller {
	t.Helper()
	connection, err := net.Dial("tcp", l.Address())
	require.NoError(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	_, err = io.WriteString(connection, greeting)
	require.NoError(t, err)
	return caller{connection, bufio.NewReader(connection)}
}

// requireEcho reads until the line.
func (c caller) requireEcho(t *testing.T, line string) {
	t.Helper()
	for {
		got, err := c.lines.ReadString('\n')
		require.NoError(t, err)
		if got == line {
			return
		}
	}
}

// requireSilence requires that nothing comes for a moment. On a busy machine it finds
// less, and never too much.
func (c caller) requireSilence(t *testing.T) {
	t.Helper()
	require.NoError(t, c.SetReadDeadline(time.Now().Add(100*time.Millisecond)))
	_, err := c.lines.ReadByte()
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NoError(t, c.SetReadDeadline(time.Time{}))
}

func TestOnlyTheSourceThatIsCutWaitsUntilTheCutEnds(t *testing.T) {
	l := NewLink(ports.Listen(t), echo(t))
	defer l.Close()
	from := func(source string) string {
		return fmt.Sprintf("GET / HTTP/1.1\r\nX-Server-From: %s\r\n\r\nhello\n", source)
	}
	one, two := call(t, l, from("1a")), call(t, l, from("2b"))
	one.requireEcho(t, "hello\n")
	two.requireEcho(t, "hello\n")

	l.Cut("1a")
	_, err := io.WriteString(one, "late\n")
	require.NoError(t, err)
	_, err = io.WriteString(two, "soon\n")
	require.NoError(t, err)
	two.requireEcho(t, "soon\n")
	one.requireSilence(t)
	l.Mend("1a")
	one.requireEcho(t, "late\n")

	l.Cut(Everyone)
	l.Cut(Everyone)
	three := call(t, l, "hello\n")
	_, err = io.WriteString(two, "at last\n")
	require.NoError(t, err)
	two.requireSilence(t)
	three.requireSilence(t)
	l.Mend(Everyone)
	three.requireEcho(t, "hello\n")
	two.requireEcho(t, "at last\n")
}

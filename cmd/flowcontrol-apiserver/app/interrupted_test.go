package app

import (
	"context"
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// An etcd accepts connections and does not answer. The library waits for it for 20 s, after which the
// error is another one.
func TestAnInterruptedStartDoesNotWaitForEtcd(t *testing.T) {
	etcd, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = etcd.Close() }()
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		for {
			connection, err := etcd.Accept()
			if err != nil {
				return
			}
			defer func() { _ = connection.Close() }()
			interrupt()
		}
	}()
	o := parseFlags(t, "--etcd-servers=http://"+etcd.Addr().String(), "--data-dir="+t.TempDir(), "--bind-address=127.0.0.1", "--secure-port="+strconv.Itoa(ports.Free(t, 1)[0]))
	eventually.Returns(t, "the start", func() {
		_, err = open(ctx, o.Complete())
	})
	assert.Equal(t, errInterrupted, err)
}

package record

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// sample is the trace of both kinds of logs in testdata.
const sample = "testdata/1.33/recorded.trace.gz"

func TestSampleIsTheTraceOfTheLogs(t *testing.T) {
	o := options()
	o.Audit, o.HTTP = []Log{{Path: auditLogs}}, []Log{{Path: httpLogs}}
	header, want := recorded(t, o)
	f, err := trace.Open(sample)
	require.NoError(t, err)
	defer f.Close() //nolint:errcheck // only read
	assert.Equal(t, header.LeftOut, f.Header().LeftOut)
	for i := range want {
		var got trace.Request
		require.NoError(t, f.Read(&got))
		require.Equal(t, want[i], got)
	}
	assert.ErrorIs(t, f.Read(&trace.Request{}), io.EOF)
}

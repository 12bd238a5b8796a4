package table_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

func TestNoControlCharacterReachesTheTerminal(t *testing.T) {
	const text = "a\x1b]0;b\a\u009b2J\r\u202eü\x7f\tc\n"
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		w := table.Printable(&out)
		for at := 0; at < len(text); at += size {
			part := text[at:min(at+size, len(text))]
			n, err := w.Write([]byte(part))
			require.NoError(t, err)
			require.Equal(t, len(part), n)
		}
		require.Equal(t, `a\u001b]0;b\u0007\u009b2J\u000d\u202eü\u007f`+"\tc\n", out.String(), "in parts of %d bytes", size)
	}
	var out bytes.Buffer
	_, err := table.Printable(&out).Write([]byte("a\x9b2J\n")) // a control character where the terminal is not UTF-8
	require.NoError(t, err)
	assert.Equal(t, "a\ufffd2J\n", out.String())
	out.Reset()
	require.NoError(t, json.NewEncoder(table.Printable(&out)).Encode(text))
	var back string
	require.NoError(t, json.Unmarshal(out.Bytes(), &back))
	assert.Equal(t, text, back, "JSON stays JSON")
}

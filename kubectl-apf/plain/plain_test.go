package plain_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/plain"
)

const sample = "PriorityLevelName, ü\r\nsystem, 1\r\n"

func zipped(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.String()
}

func TestEachFormIsOneText(t *testing.T) {
	encode := func(order unicode.Endianness) string {
		text, err := unicode.UTF16(order, unicode.UseBOM).NewEncoder().String(sample)
		require.NoError(t, err)
		return text
	}
	compressor, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	for name, text := range map[string]string{
		"UTF-8":                              sample,
		"UTF-8 with a byte order mark":       "\xef\xbb\xbf" + sample,
		"UTF-16 of Windows":                  encode(unicode.LittleEndian),
		"UTF-16 of the other byte order":     encode(unicode.BigEndian),
		"gzip":                               zipped(t, sample),
		"zstd":                               string(compressor.EncodeAll([]byte(sample), nil)),
		"UTF-16 that is compressed":          zipped(t, encode(unicode.LittleEndian)),
		"a byte order mark in zstd":          string(compressor.EncodeAll([]byte("\xef\xbb\xbf"+sample), nil)),
		"a text that is shorter than a mark": "x",
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "file")
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			got, err := plain.ReadFile(file, plain.Default().File)
			require.NoError(t, err)
			want := sample
			if len(text) == 1 {
				want = text
			}
			assert.Equal(t, want, string(got))
		})
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	_, err := plain.ReadAll(strings.NewReader("\x1f\x8bno gzip, though it begins like it"), 100)
	require.ErrorIs(t, err, gzip.ErrHeader)
	_, err = plain.ReadAll(strings.NewReader(zipped(t, strings.Repeat("x", 101))), 100)
	require.ErrorIs(t, err, plain.ErrBound)
	data, err := plain.ReadAll(strings.NewReader("\x00\x01\xff"), 100)
	require.NoError(t, err)
	assert.Equal(t, "\x00\x01\xff", string(data), "what is no text passes through")
}

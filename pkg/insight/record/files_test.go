package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDirectory(t *testing.T) {
	directory := t.TempDir()
	packer, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	write := func(name string, content []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(directory, name), content, 0o600))
	}
	write("audit-1.log.zst", packer.EncodeAll([]byte(event(0, "a", "alice", "/a")), nil))
	write("audit.log", []byte(event(1, "b", "bob", "/b")))
	write("README", []byte("hello"))
	require.NoError(t, os.Mkdir(filepath.Join(directory, "other"), 0o700))
	o := options()
	o.Audit = []Log{{Path: directory}, {Path: filepath.Join(directory, "audit.log")}}
	h, all := recorded(t, o)
	assert.Len(t, all, 2, "a file that is named twice is read once")
	assert.Contains(t, strings.Join(h.LeftOut.Notes, "\n"), "README is skipped: it has no requests.")
}

func TestParseLog(t *testing.T) {
	for text, want := range map[string]Log{
		"audit.log": {"", "audit.log"}, "a=audit.log": {"a", "audit.log"}, "/var/a=b": {"", "/var/a=b"}, "./a=b": {"", "./a=b"}, "a=/b=c": {"a", "/b=c"},
	} {
		log, err := ParseLog(text)
		require.NoError(t, err)
		assert.Equal(t, want, log)
	}
	for _, text := range []string{"", "a=", "=b"} {
		_, err := ParseLog(text)
		require.ErrorContains(t, err, "must be PATH or REPLICA=PATH", text)
	}
}

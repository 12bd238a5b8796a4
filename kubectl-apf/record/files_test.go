package record

import (
	"os"
	"path/filepath"
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
	write("audit.log", []byte(event(1, "", "bob", "/b"))) // an event with an ID counts once even if it is read twice
	write("README", []byte("hello"))
	require.NoError(t, os.MkdirAll(filepath.Join(directory, "pod", "kube-apiserver"), 0o700))
	write("pod/kube-apiserver/1.log", []byte("2026-11-22T10:00:02Z stdout F "+event(2, "c", "carol", "/c")))
	require.NoError(t, os.Symlink(filepath.Join("pod", "kube-apiserver", "1.log"), filepath.Join(directory, "zlink.log")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(directory, "dead.log")))
	o := options()
	t.Chdir(directory)
	o.Audit = []Log{{Path: directory}, {Path: filepath.Join(directory, "audit.log")}, {Path: "audit.log"}}
	h, all := recorded(t, o)
	assert.Len(t, all, 3, "a file that is named twice, or by a link, is read once")
	assert.Contains(t, h.LeftOut.Notes, "Files without requests are left out: "+filepath.Join(directory, "README")+".")
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

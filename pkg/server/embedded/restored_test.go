package embedded

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCreateStoreTakesNoDirectoryWithFiles(t *testing.T) {
	inUse := filepath.Join(t.TempDir(), "data")
	openDirectory(t, inUse)
	_, err := CreateStore(inUse)
	require.ErrorContains(t, err, "is not empty")
	require.ErrorContains(t, err, "nothing is overwritten")

	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "text")
	_, err = CreateStore(file)
	require.ErrorContains(t, err, file)
	assert.Equal(t, "text", read(t, file))
}

func TestAnAbandonedStoreLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	absent, empty := filepath.Join(parent, "absent"), filepath.Join(parent, "empty")
	require.NoError(t, os.Mkdir(empty, 0o700))
	for _, path := range []string{absent, empty} {
		store, err := CreateStore(path)
		require.NoError(t, err)
		require.NoError(t, store.Abandon())
	}
	assert.NoDirExists(t, absent)
	assert.Empty(t, tree(t, empty))
}

func TestAServerDoesNotStartOnAnInterruptedRestore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	store, err := CreateStore(path)
	require.NoError(t, err)
	require.NoError(t, store.restoring.Close()) // as the end of the process
	require.NoError(t, store.dir.Close())

	_, err = StartEtcd(t.Context(), openDirectory(t, path), EtcdOptions{Log: logr.Discard()})
	require.ErrorContains(t, err, "a restore into data directory "+path+" was interrupted")
	_, err = CreateStore(path)
	require.ErrorContains(t, err, "remove it and restore again")
}

func TestCertificatesAreCopiedAndTheirCAIsKept(t *testing.T) {
	old := openDirectory(t, filepath.Join(t.TempDir(), "old"))
	before, err := EnsureCertificates(old, nil, time.Now)
	require.NoError(t, err)

	path := filepath.Join(t.TempDir(), "new")
	store, err := CreateStore(path)
	require.NoError(t, err)
	names, err := store.CopyCertificates(old.Path())
	require.NoError(t, err)
	assert.Equal(t, []string{"ca.crt", "ca.key", "serving.crt", "serving.key", "admin.crt", "admin.key"}, names)
	require.NoError(t, os.Mkdir(store.EtcdPath(), 0o700))
	require.NoError(t, store.Complete())

	after, err := EnsureCertificates(openDirectory(t, path), nil, time.Now)
	require.NoError(t, err)
	assert.Empty(t, after.Renewals)
	assert.Equal(t, before.CA.CertificatePEM, after.CA.CertificatePEM)
	assert.Equal(t, before.Admin.KeyPEM, after.Admin.KeyPEM)
	assert.EqualValues(t, 0o600, modeOf(t, filepath.Join(path, "pki", "ca.key")))
}

func TestCertificatesThatDoNotBelongTogetherAreNotCopied(t *testing.T) {
	old := openDirectory(t, filepath.Join(t.TempDir(), "old"))
	made, err := EnsureCertificates(old, nil, time.Now)
	require.NoError(t, err)
	write(t, made.CA.KeyFile, string(made.Admin.KeyPEM))
	store, err := CreateStore(filepath.Join(t.TempDir(), "new"))
	require.NoError(t, err)

	_, err = store.CopyCertificates(old.Path())
	require.ErrorContains(t, err, made.CA.KeyFile+" is not the key of")
	_, err = store.CopyCertificates(t.TempDir())
	require.ErrorContains(t, err, "has no CA")
	require.NoError(t, store.Abandon())
}

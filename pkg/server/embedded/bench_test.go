package embedded

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
)

// BenchmarkFirstStart measures the time from a missing directory to a serving
// store, in parts.
func BenchmarkFirstStart(b *testing.B) {
	parent := b.TempDir()
	var certificates, etcd time.Duration
	for i := 0; b.Loop(); i++ {
		c, e := startAndStop(b, filepath.Join(parent, fmt.Sprint(i)))
		certificates, etcd = certificates+c, etcd+e
	}
	report(b, certificates, etcd)
}

// BenchmarkLaterStart measures the same on a directory of an earlier start.
func BenchmarkLaterStart(b *testing.B) {
	path := filepath.Join(b.TempDir(), "data")
	startAndStop(b, path)
	var certificates, etcd time.Duration
	for b.Loop() {
		c, e := startAndStop(b, path)
		certificates, etcd = certificates+c, etcd+e
	}
	report(b, certificates, etcd)
}

func startAndStop(b *testing.B, path string) (certificates, etcd time.Duration) {
	b.Helper()
	dir, err := OpenDataDirectory(path)
	require.NoError(b, err)
	begun := time.Now()
	made, err := EnsureCertificates(dir, []string{"10.0.0.1"}, time.Now)
	require.NoError(b, err)
	_, err = WriteKubeconfig(dir, "https://127.0.0.1:6443", made)
	require.NoError(b, err)
	certificates, begun = time.Since(begun), time.Now()
	server := startEtcd(b, dir, logr.Discard())
	etcd = time.Since(begun)

	b.StopTimer()
	require.NoError(b, server.Close(b.Context()))
	require.NoError(b, dir.Close())
	b.StartTimer()
	return certificates, etcd
}

func report(b *testing.B, certificates, etcd time.Duration) {
	b.ReportMetric(float64(certificates.Milliseconds())/float64(b.N), "certificates-ms/op")
	b.ReportMetric(float64(etcd.Milliseconds())/float64(b.N), "etcd-ms/op")
}

package harness

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServerComesBackOnItsDirectoryAndPort(t *testing.T) {
	ca := NewCA(t, "etcd-ca")
	for name, options := range map[string]ServerOptions{
		"alone":                         {},
		"on an etcd that demands certs": {Etcd: StartEtcd(t, EtcdOptions{CA: ca})},
	} {
		t.Run(name, func(t *testing.T) {
			s := StartServer(t, options)
			for _, end := range []func(TB){s.Stop, s.Kill} {
				end(t)
				require.Error(t, newProbe(s.URL+"/livez", "").ok(t.Context()))
				s.Start(t)
				require.Equal(t, s.URL, s.Config(t).Host)
			}
		})
	}
}

func TestServerThatRejectsItsFlagsIsRunToItsEnd(t *testing.T) {
	code, output := RunServer(t, "--no-such-flag")
	require.NotZero(t, code)
	require.Contains(t, output, "no-such-flag")
}

func TestLaunchedServerIsOnlyReadyWhenItSaysSo(t *testing.T) {
	etcd := StartEtcd(t, EtcdOptions{})
	etcd.Stop(t)
	s := LaunchServer(t, ServerOptions{Etcd: etcd})
	require.Error(t, newProbe(s.URL+"/readyz", "").ok(t.Context()))
	etcd.Start(t)
	require.NoError(t, s.WaitReady(t.Context()))
	_, err := os.Stat(s.Kubeconfig)
	require.NoError(t, err)
}

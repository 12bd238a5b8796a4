package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/cert"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/renewal"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

const day = 24 * time.Hour

// clocked is a server in this process. Its certificates follow a clock that the test moves. Its
// clients, and TLS, have the clock of the machine.
type clocked struct {
	*Server
	clock *clocktesting.FakeClock
}

// startClocked starts a server that runs alone until the test ends.
func startClocked(t *testing.T, change func(*Config)) *clocked {
	t.Helper()
	config := NewConfig()
	config.DataDir = filepath.Join(t.TempDir(), "data")
	config.SecureServing.Listener = ports.Listen(t)
	clock := clocktesting.NewFakeClock(time.Now())
	config.Clock = clock
	if change != nil {
		change(config)
	}
	ctx, stop := context.WithCancel(context.Background())
	running, err := New(ctx, config.Complete())
	if err != nil {
		stop()
	}
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- running.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-ended)
		running.Close()
	})
	eventually.Holds(t, "the server is ready and waits for the time of its next check", func(a *eventually.Attempt) {
		require.NoError(a, running.WaitReady(a.Context()))
		require.True(a, clock.HasWaiters())
	})
	return &clocked{Server: running, clock: clock}
}

// admin returns the configuration in admin.kubeconfig as it is now.
func (c *clocked) admin(t require.TestingT) *rest.Config {
	config, err := clientcmd.BuildConfigFromFlags("", c.KubeconfigPath())
	require.NoError(t, err)
	return config
}

// presented returns the certificate that the server presents on a new connection.
func (c *clocked) presented(t require.TestingT, config *tls.Config) *x509.Certificate {
	address, err := url.Parse(c.URL())
	require.NoError(t, err)
	connection, err := tls.DialWithDialer(&net.Dialer{Timeout: 10 * time.Second}, "tcp", address.Host, config)
	require.NoError(t, err)
	defer func() { _ = connection.Close() }()
	return connection.ConnectionState().PeerCertificates[0]
}

// trusting returns the TLS configuration of a client without a certificate.
func trusting(t require.TestingT, config *rest.Config) *tls.Config {
	roots, err := cert.NewPoolFromBytes(config.CAData)
	require.NoError(t, err)
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, ServerName: config.ServerName}
}

// metrics returns what the server shows at /metrics.
func (c *clocked) metrics(t require.TestingT, config *rest.Config) string {
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	response, err := client.Get(c.URL() + "/metrics")
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode)
	return string(body)
}

func TestCertificatesAreRenewedWithoutADroppedConnection(t *testing.T) {
	running := startClocked(t, nil)
	old := running.admin(t)
	first := running.presented(t, trusting(t, old))
	client, err := versioned.NewForConfig(old)
	require.NoError(t, err)
	schemas := client.FlowcontrolV1().FlowSchemas()
	watched, err := schemas.Watch(t.Context(), metav1.SingleObject(metav1.ObjectMeta{Name: "during-renewal"}))
	require.NoError(t, err)
	defer watched.Stop()
	requests := keepRequesting(t, schemas.List)

	running.clock.Step(336 * day)
	// A year ahead of the client's clock, and yet valid for the client.
	eventually.Holds(t, "a new connection has the new certificate", func(a *eventually.Attempt) {
		presented := running.presented(a, trusting(a, old))
		require.NotEqual(a, first.SerialNumber, presented.SerialNumber)
		require.Equal(a, first.NotAfter.Add(336*day), presented.NotAfter)
	})
	eventually.Holds(t, "admin.kubeconfig is written again", func(a *eventually.Attempt) {
		require.NotEqual(a, old.CertData, running.admin(a).CertData)
	})
	eventually.Holds(t, "the metrics show it", func(a *eventually.Attempt) {
		text := running.metrics(a, old)
		for _, name := range []string{"serving", "admin"} {
			require.Equal(a, float64(first.NotAfter.Add(336*day).Unix()), expiryOf(a, text, name))
		}
	})

	running.requireWatched(t, running.admin(t), watched, "during-renewal")
	requests.stop(t)

	// The old kubeconfig works until its own end, on a new connection too.
	options, err := rest.TLSConfigFor(old)
	require.NoError(t, err)
	fresh := &http.Client{Transport: &http.Transport{TLSClientConfig: options, DisableKeepAlives: true}}
	again, err := versioned.NewForConfigAndClient(&rest.Config{Host: old.Host}, fresh)
	require.NoError(t, err)
	_, err = again.FlowcontrolV1().FlowSchemas().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err, "with the old kubeconfig")
}

// requireWatched creates a schema, and requires that a watch that was opened before shows
// it.
func (c *clocked) requireWatched(t *testing.T, config *rest.Config, watched watch.Interface, name string) {
	t.Helper()
	client, err := versioned.NewForConfig(config)
	require.NoError(t, err)
	_, err = client.FlowcontrolV1().FlowSchemas().Create(t.Context(), &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: flowcontrolv1.FlowSchemaSpec{
			MatchingPrecedence:         1000,
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "catch-all"},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	event, open := <-watched.ResultChan()
	require.True(t, open, "the watch was dropped")
	require.Equal(t, watch.Added, event.Type)
}

// requester sends requests one after another.
type requester struct {
	cancel context.CancelFunc
	sent   atomic.Int64
	failed chan error
}

// keepRequesting calls list until stop is called or a call fails.
func keepRequesting(t *testing.T, list func(context.Context, metav1.ListOptions) (*flowcontrolv1.FlowSchemaList, error)) *requester {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &requester{cancel: cancel, failed: make(chan error, 1)}
	go func() {
		defer close(r.failed)
		for ctx.Err() == nil {
			if _, err := list(context.WithoutCancel(ctx), metav1.ListOptions{Limit: 1}); err != nil {
				r.failed <- err
				return
			}
			r.sent.Add(1)
		}
	}()
	return r
}

// stop requires that every request succeeded, and that some were sent after the call.
func (r *requester) stop(t *testing.T) {
	t.Helper()
	before := r.sent.Load()
	eventually.Holds(t, "requests are answered", func(a *eventually.Attempt) {
		require.Greater(a, r.sent.Load(), before)
	})
	r.cancel()
	require.NoError(t, <-r.failed)
}

// TestTheServersOwnClientNeedsNoRestart: the library's certificate for a server to read its own API
// expires, and then flow control does not follow its configuration.
func TestTheServersOwnClientNeedsNoRestart(t *testing.T) {
	running := startClocked(t, nil)
	config := trusting(t, running.LoopbackClientConfig())
	for name, moment := range map[string]time.Time{
		"in 4 years":           time.Now().Add(4 * 365 * day),
		"in 100 years":         time.Now().Add(100 * 365 * day),
		"with a reset clock":   time.Unix(60, 0),
		"with the right clock": time.Now(),
	} {
		t.Run(name, func(t *testing.T) {
			config := config.Clone()
			config.Time = func() time.Time { return moment }
			running.presented(t, config)
		})
	}
}

// expiryOf returns the expiry of a certificate in metrics.
func expiryOf(t require.TestingT, text, name string) float64 {
	shown := regexp.MustCompile(`flowcontrol_apiserver_certificate_expiration_timestamp_seconds\{certificate="` + name + `",file=".*/` + name + `\.crt"\} (\S+)`).FindStringSubmatch(text)
	require.NotNil(t, shown)
	value, err := strconv.ParseFloat(shown[1], 64)
	require.NoError(t, err)
	return value
}

// TestExpiryOfTheCAIsItsOwnInABundle: the gauge had the earliest end of the bundle that an
// administrator makes for a rotation.
func TestExpiryOfTheCAIsItsOwnInABundle(t *testing.T) {
	running := startClocked(t, func(config *Config) { config.Features.EnablePriorityAndFairness = false }) // it is shown without flow control, too
	file := filepath.Join(filepath.Dir(running.KubeconfigPath()), "pki", "ca.crt")
	own, err := cert.CertsFromFile(file)
	require.NoError(t, err)
	other, err := cert.CertsFromFile(harness.NewCA(t, "ends earlier").CertFile)
	require.NoError(t, err)
	require.Less(t, other[0].NotAfter, own[0].NotAfter)
	bundle, err := cert.EncodeCertificates(other[0], own[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, bundle, 0o600))

	running.clock.Step(336 * day) // renews the leaves, and so shows that the bundle was read
	eventually.Holds(t, "the metrics are from the next check", func(a *eventually.Attempt) {
		text := running.metrics(a, running.admin(a))
		require.Greater(a, expiryOf(a, text, "admin"), float64(other[0].NotAfter.Unix()))
		require.Equal(a, float64(own[0].NotAfter.Unix()), expiryOf(a, text, "ca"))
	})
	kept, err := cert.CertsFromFile(file)
	require.NoError(t, err)
	require.Len(t, kept, 2, "renewal keeps the bundle")
}

// TestACertificateOfTheAdministratorIsFollowed: its file is not the server's to renew, and
// admin.kubeconfig has what is in it.
func TestACertificateOfTheAdministratorIsFollowed(t *testing.T) {
	ca := harness.NewCA(t, "of the administrator")
	pair, next := ca.Server(t, "first"), ca.Server(t, "second")
	running := startClocked(t, func(config *Config) {
		config.SecureServing.ServerCert.CertKey = genericoptions.CertKey{CertFile: pair.CertFile, KeyFile: pair.KeyFile}
	})
	first, err := os.ReadFile(pair.CertFile)
	require.NoError(t, err)
	require.Equal(t, first, running.admin(t).CAData)
	require.Contains(t, running.metrics(t, running.admin(t)), `flowcontrol_apiserver_certificate_expiration_timestamp_seconds{certificate="serving",file="`+pair.CertFile+`"}`)

	second, err := os.ReadFile(next.CertFile)
	require.NoError(t, err)
	require.NoError(t, os.Rename(next.KeyFile, pair.KeyFile))
	require.NoError(t, os.Rename(next.CertFile, pair.CertFile))
	running.clock.Step(renewal.Interval)
	eventually.Holds(t, "admin.kubeconfig trusts the new certificate", func(a *eventually.Attempt) {
		require.Equal(a, second, running.admin(a).CAData)
	})
	eventually.Holds(t, "the server presents it", func(a *eventually.Attempt) {
		require.Equal(a, "second", running.presented(a, trusting(a, running.admin(a))).Subject.CommonName)
	})
}

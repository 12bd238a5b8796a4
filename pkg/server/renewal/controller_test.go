package renewal

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

const day = 24 * time.Hour

// directoryIssuer issues the certificates of a data directory.
type directoryIssuer struct {
	dir   *embedded.DataDirectory
	clock *clocktesting.FakeClock
}

var _ Issuer = (*directoryIssuer)(nil)

// Renew implements Issuer.
func (i *directoryIssuer) Renew(context.Context) ([]embedded.Renewal, []error) {
	certificates, err := embedded.EnsureCertificates(i.dir, nil, i.clock.Now)
	if certificates == nil {
		return nil, []error{err}
	}
	var errs []error
	for _, err := range certificates.Errors {
		errs = append(errs, err)
	}
	return certificates.Renewals, errs
}

// rig is a controller on a data directory, in a time that the test moves.
type rig struct {
	*Controller
	dir   *embedded.DataDirectory
	clock *clocktesting.FakeClock
	log   *bytes.Buffer
}

func newRig(t *testing.T) *rig {
	t.Helper()
	dir, err := embedded.OpenDataDirectory(filepath.Join(t.TempDir(), "data"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = dir.Close() })
	clock := clocktesting.NewFakeClock(time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC))
	_, err = embedded.EnsureCertificates(dir, nil, clock.Now)
	require.NoError(t, err)
	r := &rig{dir: dir, clock: clock, log: &bytes.Buffer{}}
	r.Controller = New(Config{
		Issuer:  &directoryIssuer{dir, clock},
		Issued:  []string{"ca", "serving", "admin"},
		Sources: []Source{File("ca", r.file("ca")), File("serving", r.file("serving")), File("admin", r.file("admin"))},
		Clock:   clock,
		Log:     funcr.New(func(_, text string) { r.log.WriteString(text + "\n") }, funcr.Options{}),
	})
	return r
}

func (r *rig) file(name string) string { return filepath.Join(r.dir.Path(), "pki", name+".crt") }

// requireExpiry requires the metric of expiry, in days from the begin.
func (r *rig) requireExpiry(t *testing.T, days map[string]int) {
	t.Helper()
	begin := time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)
	want := "# HELP flowcontrol_apiserver_certificate_expiration_timestamp_seconds End of the validity of a certificate that this server uses, in seconds since 1970; of a chain, the earliest.\n" +
		"# TYPE flowcontrol_apiserver_certificate_expiration_timestamp_seconds gauge\n"
	for name, n := range days {
		want += `flowcontrol_apiserver_certificate_expiration_timestamp_seconds{certificate="` + name + `",file="` + r.file(name) + `"} ` +
			strconv.FormatInt(begin.Add(time.Duration(n)*day).Unix(), 10) + "\n"
	}
	require.NoError(t, testutil.CollectAndCompare(r.Collector(), strings.NewReader(want), "flowcontrol_apiserver_certificate_expiration_timestamp_seconds"))
}

// renewals returns the counter of renewals.
func (r *rig) renewals(certificate, result string) int {
	return int(testutil.ToFloat64(r.metrics.renewals.WithLabelValues(certificate, result)))
}

func TestCertificatesAreRenewedWhileTheServerRuns(t *testing.T) {
	r := newRig(t)
	r.Check(t.Context())
	r.requireExpiry(t, map[string]int{"ca": 3650, "serving": 365, "admin": 365})
	assert.Empty(t, r.log.String())

	r.clock.Step(334 * day)
	r.Check(t.Context())
	r.requireExpiry(t, map[string]int{"ca": 3650, "serving": 365, "admin": 365})

	r.clock.Step(2 * day)
	r.Check(t.Context())
	r.requireExpiry(t, map[string]int{"ca": 3650, "serving": 701, "admin": 701})
	assert.Equal(t, []int{0, 1, 1}, []int{r.renewals("ca", "success"), r.renewals("serving", "success"), r.renewals("admin", "success")})
	assert.Contains(t, r.log.String(), `"Renewed certificate" "certificate"="serving" "file"="`+r.file("serving")+`" "reason"="valid from 2030-03-01T11:55:00Z to 2031-03-01T12:00:00Z at 2031-01-31T12:00:00Z" "expires"="2032-01-31T12:00:00Z"`)

	for range 10 {
		r.clock.Step(300 * day)
		r.Check(t.Context())
	}
	assert.Equal(t, 1, r.renewals("ca", "success"), "after nine years")
	for _, name := range []string{"ca", "serving", "admin"} {
		assert.Zero(t, r.renewals(name, "error"))
	}
}

func TestAFailedRenewalIsToldAndRetried(t *testing.T) {
	r := newRig(t)
	r.clock.Step(340 * day)
	certificate, err := os.ReadFile(r.file("serving"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(r.file("serving"), []byte("of other hands"), 0o600))
	for range 3 {
		r.Check(t.Context())
		r.clock.Step(Interval)
	}
	assert.Equal(t, 3, r.renewals("serving", "error"))
	assert.Equal(t, 1, r.renewals("admin", "success"), "the other certificate is renewed")
	assert.Contains(t, r.log.String(), `"Failed to renew certificates; this is retried"`)
	assert.Contains(t, r.log.String(), r.file("serving")+" contains no valid certificate")
	kept, err := os.ReadFile(r.file("serving"))
	require.NoError(t, err)
	assert.Equal(t, "of other hands", string(kept))

	require.NoError(t, os.WriteFile(r.file("serving"), certificate, 0o600))
	r.Check(t.Context())
	assert.Equal(t, 3, r.renewals("serving", "error"))
	assert.Equal(t, 1, r.renewals("serving", "success"))
}

func TestAnErrorAboutAllCertificatesIsCountedForEach(t *testing.T) {
	r := newRig(t)
	require.NoError(t, os.RemoveAll(filepath.Dir(r.file("ca"))))
	require.NoError(t, os.WriteFile(filepath.Dir(r.file("ca")), nil, 0o600))
	r.Check(t.Context())
	for _, name := range []string{"ca", "serving", "admin"} {
		assert.Equal(t, 1, r.renewals(name, "error"))
	}
}

func TestACertificateThatCannotBeReadKeepsItsExpiry(t *testing.T) {
	r := newRig(t)
	r.Check(t.Context())
	r.config.Issuer = nil
	require.NoError(t, os.Remove(r.file("admin")))
	r.Check(t.Context())
	r.requireExpiry(t, map[string]int{"ca": 3650, "serving": 365, "admin": 365})
	assert.Contains(t, r.log.String(), "Failed to read certificate")
}

// countingIssuer counts calls, and fails as a server does that stops.
type countingIssuer struct{ calls int }

func (c *countingIssuer) Renew(ctx context.Context) ([]embedded.Renewal, []error) {
	c.calls++
	if err := ctx.Err(); err != nil {
		return nil, []error{err}
	}
	return nil, nil
}

func TestRunChecksAtOnceAndAtEachIntervalUntilItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issuer, clock := &countingIssuer{}, clocktesting.NewFakeClock(time.Unix(0, 0))
		controller := New(Config{Issuer: issuer, Issued: []string{"ca"}, Clock: clock, Log: logr.Discard()})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			controller.Run(ctx)
		}()
		synctest.Wait()
		assert.Equal(t, 1, issuer.calls)
		for want := 2; want < 5; want++ {
			clock.Step(Interval)
			synctest.Wait()
			assert.Equal(t, want, issuer.calls)
		}
		stop()
		<-done
		controller.Check(ctx)
		assert.Zero(t, testutil.ToFloat64(controller.metrics.renewals.WithLabelValues("ca", "error")), "a stop is no failure")
	})
}

func TestTwoSourcesOfOneCertificateAreOneMetric(t *testing.T) {
	r := newRig(t)
	r.Controller = New(Config{Sources: []Source{File("sni", r.file("serving")), File("sni", r.file("serving"))}, Clock: r.clock, Log: logr.Discard()})
	r.Check(t.Context())
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(r.Collector()))
	families, err := registry.Gather()
	require.NoError(t, err)
	require.Len(t, families, 1)
	assert.Len(t, families[0].GetMetric(), 1)
}

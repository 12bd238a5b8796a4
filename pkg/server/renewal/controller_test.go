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
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

const day = 24 * time.Hour

// begin is the time when the certificates of a rig are issued.
func begin() time.Time { return time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC) }

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
	clock := clocktesting.NewFakeClock(begin())
	_, err = embedded.EnsureCertificates(dir, nil, clock.Now)
	require.NoError(t, err)
	r := &rig{dir: dir, clock: clock, log: &bytes.Buffer{}}
	r.Controller = New(Config{
		Renew: func() ([]embedded.Renewal, error) {
			certificates, err := embedded.EnsureCertificates(dir, nil, clock.Now)
			return certificates.Renewals, err
		},
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
	want := "# HELP flowcontrol_apiserver_certificate_expiration_timestamp_seconds End of the validity of a certificate that this server uses, in seconds since 1970; of a chain, the earliest.\n" +
		"# TYPE flowcontrol_apiserver_certificate_expiration_timestamp_seconds gauge\n"
	for name, n := range days {
		want += `flowcontrol_apiserver_certificate_expiration_timestamp_seconds{certificate="` + name + `",file="` + r.file(name) + `"} ` +
			strconv.FormatInt(begin().Add(time.Duration(n)*day).Unix(), 10) + "\n"
	}
	require.NoError(t, testutil.CollectAndCompare(r.Controller, strings.NewReader(want)))
}

func TestCertificatesAreRenewedWhileTheServerRuns(t *testing.T) {
	r := newRig(t)
	r.Check()
	r.requireExpiry(t, map[string]int{"ca": 3650, "serving": 365, "admin": 365})
	assert.Empty(t, r.log.String())

	r.clock.Step(334 * day)
	r.Check()
	r.requireExpiry(t, map[string]int{"ca": 3650, "serving": 365, "admin": 365})

	r.clock.Step(2 * day)
	r.Check()
	r.requireExpiry(t, map[string]int{"ca": 3650, "serving": 701, "admin": 701})
	assert.Contains(t, r.log.String(), `"Renewed certificate" "certificate"="serving" "file"="`+r.file("serving")+`" "reason"="valid from 2030-03-01T11:55:00Z to 2031-03-01T12:00:00Z at 2031-01-31T12:00:00Z" "expires"="2032-01-31T12:00:00Z"`)

	for range 10 {
		r.clock.Step(300 * day)
		r.Check()
	}
	assert.Equal(t, 1, strings.Count(r.log.String(), `"certificate"="ca"`), "after nine years")
	assert.NotContains(t, r.log.String(), "Failed")
}

func TestAFailedRenewalIsToldAndRetried(t *testing.T) {
	r := newRig(t)
	r.clock.Step(340 * day)
	certificate, err := os.ReadFile(r.file("serving"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(r.file("serving"), []byte("of other hands"), 0o600))
	for range 3 {
		r.Check()
		r.clock.Step(Interval)
	}
	assert.Equal(t, 3, strings.Count(r.log.String(), `"Failed to renew certificates; this is retried"`))
	assert.Contains(t, r.log.String(), r.file("serving")+" contains no valid certificate")
	assert.Contains(t, r.log.String(), `"Renewed certificate" "certificate"="admin"`, "the other certificate is renewed")
	kept, err := os.ReadFile(r.file("serving"))
	require.NoError(t, err)
	assert.Equal(t, "of other hands", string(kept))

	require.NoError(t, os.WriteFile(r.file("serving"), certificate, 0o600))
	r.Check()
	assert.Equal(t, 3, strings.Count(r.log.String(), `"Failed to renew`))
	assert.Contains(t, r.log.String(), `"Renewed certificate" "certificate"="serving"`)
}

func TestACertificateThatCannotBeReadKeepsItsExpiry(t *testing.T) {
	r := newRig(t)
	r.Check()
	r.config.Renew = nil
	require.NoError(t, os.Remove(r.file("admin")))
	r.Check()
	r.requireExpiry(t, map[string]int{"ca": 3650, "serving": 365, "admin": 365})
	assert.Contains(t, r.log.String(), "Failed to read certificate")
}

func TestTheMetricShowsWhatIsPresentedBetweenTwoChecks(t *testing.T) {
	r := newRig(t)
	end := begin().Add(day)
	r.config.Sources = []Source{{Name: "serving", Read: func() (string, time.Time, error) { return r.file("serving"), end, nil }}}
	r.Check()
	end = begin().Add(2 * day)
	r.requireExpiry(t, map[string]int{"serving": 2})
}

func TestRunChecksAtOnceAndAtEachIntervalUntilItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls, clock := 0, clocktesting.NewFakeClock(time.Unix(0, 0))
		controller := New(Config{Clock: clock, Log: logr.Discard(), Renew: func() ([]embedded.Renewal, error) {
			calls++
			return nil, nil
		}})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			controller.Run(ctx)
		}()
		synctest.Wait()
		assert.Equal(t, 1, calls)
		for want := 2; want < 5; want++ {
			clock.Step(Interval)
			synctest.Wait()
			assert.Equal(t, want, calls)
		}
		stop()
		<-done
	})
}

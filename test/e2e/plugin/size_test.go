package plugin

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

// testSize sizes the server by two scrapes, while clients send between them, and compares with what
// its metrics say by Little's law: the mean number of seats in use is the time that requests
// executed in a second. The scrapes are said to be a minute apart, so that few requests are
// simulated.
func (s *site) testSize(t *testing.T) {
	const clients, each, seconds = 4, 250, 60.0
	begun, before := s.saveMetrics(t)
	var sending errgroup.Group
	for range clients {
		sending.Go(func() error {
			for range each {
				if _, err := s.get(t.Context(), v1Path+"/flowschemas", "bob"); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, sending.Wait())
	ended, after := s.saveMetrics(t)
	mean := (ended - begun) / seconds

	sized := apfJSON[struct {
		Enough string
		Levels []struct {
			Name            string
			PerSecond, Mean float64
			Need            *struct{ Seats int }
		} `json:"priorityLevels"`
	}](t, s, 0, "size", "--before="+before, "--dumps="+after, "--interval=1m", "--engine=apf")
	require.Equal(t, "yes", sized.Enough)
	for _, level := range sized.Levels {
		if level.Name == "global-default" {
			require.InEpsilon(t, clients*each/seconds, level.PerSecond, 0.1)
			require.InDelta(t, mean, level.Mean, 0.15*mean+0.01)
			require.NotNil(t, level.Need)
			require.LessOrEqual(t, level.Mean, float64(level.Need.Seats))
			return
		}
	}
	require.Fail(t, "global-default is not sized", "%+v", sized)
}

// saveMetrics saves the metrics in a folder. It returns the seconds that requests of
// global-default have executed.
func (s *site) saveMetrics(t *testing.T) (executed float64, folder string) {
	t.Helper()
	folder = t.TempDir()
	text := s.kubectl.Run(t, "get", "--raw", "/metrics")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "metrics"), []byte(text), 0o600))
	metrics, err := scrape.Parse(text, "apiserver_flowcontrol_request_execution_seconds")
	require.NoError(t, err)
	return metrics.Sum("apiserver_flowcontrol_request_execution_seconds_sum", `priority_level="global-default"`), folder
}

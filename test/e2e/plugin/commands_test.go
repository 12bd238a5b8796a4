package plugin

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

// apf runs the plug-in, which must end with the status.
func (s *site) apf(t *testing.T, status int, args ...string) harness.Result {
	t.Helper()
	result := s.kubectl.Try(t, "", append([]string{"apf"}, args...)...)
	require.Equal(t, status, result.ExitCode, "kubectl apf %s\n%s%s", strings.Join(args, " "), result.Stdout, result.Stderr)
	return result
}

// apfJSON runs the plug-in and decodes its output.
func apfJSON[T any](t *testing.T, s *site, status int, args ...string) (out T) {
	t.Helper()
	result := s.apf(t, status, append(args, "-o", "json")...)
	require.NoError(t, json.Unmarshal([]byte(result.Stdout), &out), result.Stdout)
	return out
}

// TestPlugin compares what the plug-in says with what the server does. The tour of docs/kubectl-apf.md
// runs each command.
func TestPlugin(t *testing.T) {
	harness.Program(t, binaries.Plugin)
	s := startSite(t, rightsFlag(t))
	t.Run("explain names the objects behind the headers of the response", s.testExplainAndWhose)
	t.Run("top agrees with the metrics, under load and at rest", s.testTopBesideMetrics)
	t.Run("size agrees with the metrics", s.testSize)
}

func (s *site) testExplainAndWhose(t *testing.T) {
	type explanation struct {
		FlowSchema, PriorityLevel struct{ Name, UID string }
		Outcome                   struct{ Decision string }
	}
	for user, schema := range map[string]string{"bob": "global-default", "system:serviceaccount:shop:robot": "service-accounts"} {
		explained := apfJSON[explanation](t, s, 0, "explain", "list", "flowschemas", "--as="+user)
		require.Equal(t, schema, explained.FlowSchema.Name)
		require.Equal(t, "executes", explained.Outcome.Decision)

		response := s.kubectl.Try(t, "", "get", "flowschemas", "--as="+user, "-v=8")
		require.Zero(t, response.ExitCode, response.Stderr)
		saved := filepath.Join(t.TempDir(), "response.txt")
		require.NoError(t, os.WriteFile(saved, []byte(response.Stderr), 0o600))
		objects := apfJSON[[]struct{ Kind, Name string }](t, s, 0, "whose", "-f", saved)
		require.Contains(t, objects, struct{ Kind, Name string }{"FlowSchema", explained.FlowSchema.Name})
		require.Contains(t, objects, struct{ Kind, Name string }{"PriorityLevelConfiguration", explained.PriorityLevel.Name})
	}
	s.apf(t, 1, "whose", "00000000-0000-0000-0000-000000000000")
	s.apf(t, 2, "explain", "list", "unicorns")
	myself := apfJSON[struct{ Request struct{ Groups []string } }](t, s, 0, "explain", "list", "flowschemas")
	require.Contains(t, myself.Request.Groups, "system:masters", "the user is the client certificate's")
}

// testTopBesideMetrics compares what top says of a level that rejects requests with
// scrapes before and after it: a counter only grows.
func (s *site) testTopBesideMetrics(t *testing.T) {
	noSeats := filepath.Join("testdata", "no-seats.yaml")
	s.kubectl.Run(t, "apply", "-f", noSeats)
	s.kubectl.Run(t, "wait", "--for=condition=Dangling=False", "flowschema/no-seats", "--timeout=5m")
	var enough atomic.Bool
	var clients errgroup.Group
	for range 4 {
		clients.Go(func() error {
			for range 100_000 {
				_, err := s.get(t.Context(), v1Path+"/flowschemas", "runaway")
				if err != nil || enough.Load() {
					return err
				}
			}
			return nil
		})
	}
	for range 3 {
		before := s.rejected(t)
		shown := s.rejectedInTop(t)
		require.LessOrEqual(t, before, shown)
		require.LessOrEqual(t, shown, s.rejected(t))
	}
	enough.Store(true)
	require.NoError(t, clients.Wait())
	require.Greater(t, s.rejected(t), 10.0)
	require.InDelta(t, s.rejected(t), s.rejectedInTop(t), 0, "at rest")
	s.kubectl.Run(t, "delete", "-f", noSeats)
}

// rejected returns how many requests the level no-seats has rejected, by the metrics.
func (s *site) rejected(t *testing.T) float64 {
	t.Helper()
	const family = "apiserver_flowcontrol_rejected_requests_total"
	values, err := scrape.Parse(s.kubectl.Run(t, "get", "--raw", "/metrics"), family)
	require.NoError(t, err)
	return values.Sum(family, `priority_level="no-seats"`)
}

// rejectedInTop returns how many requests the level no-seats has rejected, by top.
func (s *site) rejectedInTop(t *testing.T) float64 {
	t.Helper()
	top := apfJSON[struct {
		Levels []struct {
			Name     string
			Rejected float64
		}
	}](t, s, 0, "top", "--interval=0")
	for _, level := range top.Levels {
		if level.Name == "no-seats" {
			return level.Rejected
		}
	}
	return 0
}

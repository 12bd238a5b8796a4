package plugin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// roles is an authorization webhook. It allows a user what the rules of their role
// allow, and a user without a role everything.
type roles struct {
	file string // the path of the webhook's kubeconfig
	of   map[string][]rbacv1.PolicyRule
}

func newRoles(t *testing.T, of map[string][]rbacv1.PolicyRule) *roles {
	t.Helper()
	r := &roles{file: filepath.Join(t.TempDir(), "webhook.yaml"), of: of}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	require.NoError(t, os.WriteFile(r.file, fmt.Appendf(nil, `{apiVersion: v1, kind: Config, current-context: x, users: [{name: u}],
clusters: [{name: c, cluster: {server: %q}}], contexts: [{name: x, context: {cluster: c, user: u}}]}`, server.URL), 0o600))
	return r
}

func (r *roles) flags() []string {
	return []string{"--authorization-webhook-config-file=" + r.file, "--authorization-webhook-version=v1"}
}

// ServeHTTP answers a review.
func (r *roles) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	var review authorizationv1.SubjectAccessReview
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
		http.Error(writer, err.Error(), http.StatusBadRequest)
		return
	}
	rules, limited := r.of[review.Spec.User]
	allowed := !limited || slices.ContainsFunc(rules, func(rule rbacv1.PolicyRule) bool { return allows(&rule, &review.Spec) })
	review.Status = authorizationv1.SubjectAccessReviewStatus{Allowed: allowed}
	writer.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(writer).Encode(review); err != nil {
		http.Error(writer, err.Error(), http.StatusInternalServerError)
	}
}

// allows reports whether a rule allows a request.
func allows(rule *rbacv1.PolicyRule, asked *authorizationv1.SubjectAccessReviewSpec) bool {
	if r := asked.ResourceAttributes; r != nil {
		return slices.Contains(rule.Verbs, r.Verb) && slices.Contains(rule.APIGroups, r.Group) && slices.Contains(rule.Resources, r.Resource)
	}
	return slices.Contains(rule.Verbs, asked.NonResourceAttributes.Verb) && slices.ContainsFunc(rule.NonResourceURLs, func(url string) bool {
		prefix, wildcard := strings.CutSuffix(url, "*")
		path := strings.TrimSuffix(asked.NonResourceAttributes.Path, "/")
		return url == path || wildcard && strings.HasPrefix(path, prefix)
	})
}

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

func TestPlugin(t *testing.T) {
	root, err := binaries.Root()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "artifacts", "kubectl-apf", "clusterrole.yaml"))
	require.NoError(t, err)
	var role rbacv1.ClusterRole
	require.NoError(t, yaml.UnmarshalStrict(text, &role))
	objectsAlone := []rbacv1.PolicyRule{role.Rules[0], {Verbs: []string{"get"}, NonResourceURLs: []string{"/version", "/api", "/api/*", "/apis", "/apis/*"}}}
	authorizer := newRoles(t, map[string][]rbacv1.PolicyRule{"operator": role.Rules, "newcomer": objectsAlone})

	harness.Program(t, binaries.Plugin)
	s := startSite(t, filepath.Join(root, "artifacts", "examples"), authorizer.flags()...)
	t.Run("explain names the objects behind the headers of the response", s.testExplainAndWhose)
	t.Run("top adds up the seats", s.testTop)
	t.Run("diff and lint judge files over the server's objects", s.testDiffAndLint)
	t.Run("why tells of a rejection", s.testWhy)
	t.Run("top agrees with the metrics, under load and at rest", s.testTopBesideMetrics)
	t.Run("size agrees with the metrics", s.testSize)
	t.Run("the ClusterRole has all rights", s.testClusterRole)
	t.Run("a missing right is named", s.testMissingRights)
	t.Run("a server that is away is status 2", func(t *testing.T) {
		result := s.apf(t, 2, "top", "--server=https://127.0.0.1:1")
		require.Equal(t, 1, strings.Count(result.Stderr, "\n"), result.Stderr)
	})
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

func (s *site) testTop(t *testing.T) {
	type levels struct {
		Levels []struct {
			Name                                   string
			SeatsInUse, NominalLimit, CurrentLimit *int
		}
		Replicas []struct{ Missing []struct{ What, Why string } }
	}
	got := apfJSON[levels](t, s, 0, "top", "--interval=0", "--sort=name")
	names := make([]string, len(got.Levels))
	for i, level := range got.Levels {
		names[i] = level.Name
		require.NotNil(t, level.SeatsInUse, level.Name)
		require.NotNil(t, level.CurrentLimit, level.Name)
	}
	require.Equal(t, []string{"catch-all", "exempt", "global-default", "leader-election", "node-high", "system", "workload-high", "workload-low"}, names)
	require.Len(t, got.Replicas, 1)
	require.Empty(t, got.Replicas[0].Missing)

	requests := apfJSON[struct {
		Requests []struct{ Path, Level string }
	}](t, s, 0, "top", "requests")
	require.NotEmpty(t, requests.Requests, "the request that asks for them executes")
	require.Contains(t, s.apf(t, 0, "top", "--interval=1ms").Stdout, "TOTAL")
	s.apf(t, 0, "top", "flows", "-o", "wide")
}

func (s *site) testDiffAndLint(t *testing.T) {
	jobs := filepath.Join(s.examples, "batch-jobs.yaml")
	s.apf(t, 0, "lint")
	require.Contains(t, s.apf(t, 1, "diff", "-f", jobs).Stdout, "batch-jobs")
	s.kubectl.Run(t, "apply", "-f", jobs)
	s.apf(t, 0, "diff", "-f", jobs)
	s.kubectl.Run(t, "delete", "-f", jobs)

	dangling := filepath.Join(t.TempDir(), "dangling.yaml")
	text, err := os.ReadFile(jobs)
	require.NoError(t, err)
	_, schema, found := strings.Cut(string(text), "\n---\n")
	require.True(t, found)
	require.NoError(t, os.WriteFile(dangling, []byte(schema), 0o600))
	require.Contains(t, s.apf(t, 1, "lint", "-f", dangling).Stdout, "error FC101 FlowSchema/batch-jobs")
}

func (s *site) testWhy(t *testing.T) {
	shutOut := filepath.Join(s.examples, "shut-out.yaml")
	s.apf(t, 0, "why", "--user=runaway")
	s.kubectl.Run(t, "apply", "-f", shutOut)
	s.kubectl.Run(t, "wait", "--for=condition=Dangling=False", "flowschema/shut-out", "--timeout=5m")
	rejection, err := s.get(t.Context(), v1Path+"/flowschemas", "runaway")
	require.NoError(t, err)
	require.Equal(t, http.StatusTooManyRequests, rejection.Code)
	result := s.apf(t, 1, "why", "--user=runaway")
	require.Contains(t, result.Stdout, "concurrency-limit")
	require.Contains(t, result.Stdout, "shut-out")
	rejected := apfJSON[struct {
		FlowSchema struct{ Name string }
		Outcome    struct{ Decision, Reason string }
	}](t, s, 0, "explain", "list", "flowschemas", "--as=runaway")
	require.Equal(t, "shut-out", rejected.FlowSchema.Name)
	require.Equal(t, "rejected", rejected.Outcome.Decision)
	s.kubectl.Run(t, "delete", "-f", shutOut)
}

// testTopBesideMetrics compares what top says of a level that rejects requests with
// scrapes before and after it: a counter only grows.
func (s *site) testTopBesideMetrics(t *testing.T) {
	shutOut := filepath.Join(s.examples, "shut-out.yaml")
	s.kubectl.Run(t, "apply", "-f", shutOut)
	s.kubectl.Run(t, "wait", "--for=condition=Dangling=False", "flowschema/shut-out", "--timeout=5m")
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
	s.kubectl.Run(t, "delete", "-f", shutOut)
}

// rejected returns how many requests the level shut-out has rejected, by the metrics.
func (s *site) rejected(t *testing.T) (total float64) {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(s.kubectl.Run(t, "get", "--raw", "/metrics")))
	require.NoError(t, err)
	for _, metric := range families["apiserver_flowcontrol_rejected_requests_total"].GetMetric() {
		for _, label := range metric.GetLabel() {
			if label.GetName() == "priority_level" && label.GetValue() == "shut-out" {
				total += metric.GetCounter().GetValue()
			}
		}
	}
	return total
}

// rejectedInTop returns how many requests the level shut-out has rejected, by top.
func (s *site) rejectedInTop(t *testing.T) float64 {
	t.Helper()
	top := apfJSON[struct {
		Levels []struct {
			Name     string
			Rejected float64
		}
	}](t, s, 0, "top", "--interval=0")
	for _, level := range top.Levels {
		if level.Name == "shut-out" {
			return level.Rejected
		}
	}
	return 0
}

// pluginCommands are commands that must succeed.
func pluginCommands() map[string][]string {
	return map[string][]string{
		"top": {"top", "--interval=0"}, "flows": {"top", "flows"}, "lint": {"lint"}, "why": {"why", "--user=bob"},
		"diff": {"diff", "-f", "-"},
	}
}

func (s *site) testClusterRole(t *testing.T) {
	for name, args := range pluginCommands() {
		t.Run(name, func(t *testing.T) {
			result := s.kubectl.Try(t, s.kubectl.Run(t, "get", "flowschema", "exempt", "-o", "yaml"), append(append([]string{"apf"}, args...), "--as=operator")...)
			require.Zero(t, result.ExitCode, result.Stdout+result.Stderr)
			require.NotContains(t, result.Stdout+result.Stderr, "the right \"")
		})
	}
}

func (s *site) testMissingRights(t *testing.T) {
	require.Contains(t, s.apf(t, 0, "lint", "--as=newcomer").Stdout, `"get" on the nonResourceURL "/metrics"`)
	require.Contains(t, s.apf(t, 2, "top", "--interval=0", "--as=newcomer").Stderr, `"get" on the nonResourceURL "/metrics"`)
	require.Contains(t, s.apf(t, 0, "explain", "list", "flowschemas", "--as=bob").Stdout, "global-default")
}

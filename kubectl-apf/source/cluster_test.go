package source_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

func TestConfigurationOfACluster(t *testing.T) {
	server := startServer(t, standardAnswers(t, "1.33"))
	got := configurationOf(t, source.Options{Cluster: clusterOf(t, server.Server)})

	want, err := configuration.BuiltIn("1.33")
	require.NoError(t, err)
	assert.EqualValues(t, "1.33", got.Release)
	assert.Equal(t, 600, got.Total)
	assert.Equal(t, []string{"The total of an API server, 600 seats, is inferred from the nominal limits in /metrics; --total names another number."}, got.Notes)
	require.Len(t, got.FlowSchemas, len(want.FlowSchemas))
	for i := range want.FlowSchemas {
		assert.Equal(t, want.FlowSchemas[i].Spec, got.FlowSchemas[i].Spec)
	}
	require.Len(t, got.PriorityLevels, len(want.PriorityLevels))
	for i := range want.PriorityLevels {
		assert.Equal(t, want.PriorityLevels[i].Spec, got.PriorityLevels[i].Spec)
	}
	assert.Equal(t, "Bearer secret", server.requestsOf(groupPath)[0].Header.Get("Authorization"))
}

func TestGivenTotalIsNotInferred(t *testing.T) {
	server := startServer(t, standardAnswers(t, "1.33"))
	got := configurationOf(t, source.Options{Cluster: clusterOf(t, server.Server), Total: 77})
	assert.Equal(t, 77, got.Total)
	assert.Empty(t, got.Notes)
	assert.Empty(t, server.requestsOf("/metrics"))
}

func TestClusterThatServesOnlyAnOldVersion(t *testing.T) {
	answers := standardAnswers(t, "1.33")
	answers[groupPath] = ok(apiGroup("v1beta2"))
	answers[groupPath+"/v1beta2/flowschemas"] = ok(`{"kind":"FlowSchemaList","apiVersion":"flowcontrol.apiserver.k8s.io/v1beta2","items":[` +
		`{"metadata":{"name":"s1"},"spec":{"priorityLevelConfiguration":{"name":"l1"},"matchingPrecedence":7}}]}`)
	answers[groupPath+"/v1beta2/prioritylevelconfigurations"] = ok(`{"kind":"PriorityLevelConfigurationList","apiVersion":"flowcontrol.apiserver.k8s.io/v1beta2","items":[` +
		`{"metadata":{"name":"l1"},"spec":{"type":"Limited","limited":{"assuredConcurrencyShares":12,"limitResponse":{"type":"Reject"}}}}]}`)
	server := startServer(t, answers)

	got := configurationOf(t, source.Options{Cluster: clusterOf(t, server.Server), Total: 600})
	require.Len(t, got.FlowSchemas, 1)
	assert.EqualValues(t, 7, got.FlowSchemas[0].Spec.MatchingPrecedence)
	require.Len(t, got.PriorityLevels, 1)
	assert.Equal(t, ptr.To[int32](12), got.PriorityLevels[0].Spec.Limited.NominalConcurrencyShares)
}

func pageOf(t *testing.T, next, name string) answer {
	t.Helper()
	schema := &flowcontrolv1.FlowSchema{}
	schema.Name = name
	return ok(listOf(t, "FlowSchemaList", next, []*flowcontrolv1.FlowSchema{schema}))
}

func namesOf(c configuration.Configuration) (names []string) {
	for _, schema := range c.FlowSchemas {
		names = append(names, schema.Name)
	}
	return names
}

func TestListIsReadPageByPage(t *testing.T) {
	const path = groupPath + "/v1/flowschemas"
	answers := standardAnswers(t, "1.33")
	answers[path] = pageOf(t, "second", "a")
	answers[path+"?continue=second"] = pageOf(t, "third", "b")
	answers[path+"?continue=third"] = pageOf(t, "", "c")
	server := startServer(t, answers)
	got := configurationOf(t, source.Options{Cluster: clusterOf(t, server.Server)})
	assert.Equal(t, []string{"a", "b", "c"}, namesOf(got))
}

func TestListWhosePagesExpireIsReadAtOnce(t *testing.T) {
	const path = groupPath + "/v1/flowschemas"
	answers := standardAnswers(t, "1.33")
	answers[path+"?limit=500"] = pageOf(t, "second", "old")
	answers[path+"?continue=second"] = rejection(http.StatusGone, "Expired", "The provided continue parameter is too old")
	answers[path] = ok(listOf(t, "FlowSchemaList", "", []map[string]any{{"metadata": map[string]string{"name": "a"}}, {"metadata": map[string]string{"name": "b"}}}))
	server := startServer(t, answers)
	got := configurationOf(t, source.Options{Cluster: clusterOf(t, server.Server)})
	assert.Equal(t, []string{"a", "b"}, namesOf(got))
}

func TestClusterThatCannotBeUsed(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers map[string]answer
		message string
	}{
		{
			"an old release", map[string]answer{"/version": ok(`{"gitVersion":"v1.28.9"}`)},
			"Kubernetes 1.28 of URL is older than 1.29, the oldest release that is supported.",
		},
		{
			"no release", map[string]answer{"/version": ok(`{"gitVersion":"latest"}`)},
			`URL has the version "latest", which is not a release of Kubernetes.`,
		},
		{
			"a server without the group", map[string]answer{groupPath: rejection(http.StatusNotFound, "NotFound", "not found")},
			"URL does not serve the API group flowcontrol.apiserver.k8s.io: use the kubeconfig of a server that does.",
		},
		{
			"a server with an unknown version of the group", map[string]answer{groupPath: ok(apiGroup("v2"))},
			`URL serves flowcontrol.apiserver.k8s.io in the versions ["v2"] only: must serve v1, v1beta3 or v1beta2.`,
		},
		{
			"flow control turned off", map[string]answer{"/metrics": ok("apiserver_request_total{code=\"200\"} 7\n")},
			"URL serves no metrics of flow control: it is turned off there (--enable-priority-and-fairness=false), so nothing is enforced.",
		},
		{
			"no right to list", map[string]answer{groupPath + "/v1/flowschemas": forbidden()},
			`URL forbids it: the permission "list" on flowschemas.flowcontrol.apiserver.k8s.io is missing.`,
		},
		{
			"credentials that are not accepted", map[string]answer{groupPath: rejection(http.StatusUnauthorized, "Unauthorized", "Unauthorized")},
			"URL does not accept the credentials of the kubeconfig: log in again.",
		},
		{
			"an error of the server", map[string]answer{groupPath + "/v1/flowschemas": rejection(http.StatusInternalServerError, "InternalError", "etcd is away")},
			"URL returned an error: etcd is away.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers := standardAnswers(t, "1.33")
			maps.Copy(answers, c.answers)
			server := startServer(t, answers)
			_, err := newSource(t, source.Options{Cluster: clusterOf(t, server.Server)}).Configuration(t.Context())
			require.Error(t, err)
			assert.Equal(t, strings.ReplaceAll(c.message, "URL", server.URL), err.Error())
		})
	}
}

func TestKubeconfigThatNamesNoCluster(t *testing.T) {
	for name, text := range map[string]string{
		"an empty file":            "",
		"no YAML":                  "{",
		"a context that is absent": "apiVersion: v1\nkind: Config\ncurrent-context: absent\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := newSource(t, source.Options{Cluster: kubeconfig(t, text)})
			_, err := s.Configuration(t.Context())
			require.Error(t, err)
			_, err = s.Replicas(t.Context(), source.Want{Metrics: true})
			require.Error(t, err)
			_, err = s.Facts(t.Context())
			require.Error(t, err)
		})
	}
}

func TestMissingRightsAreNoted(t *testing.T) {
	answers := standardAnswers(t, "1.33")
	answers["/version"] = forbidden()
	answers["/metrics"] = forbidden()
	server := startServer(t, answers)
	got := configurationOf(t, source.Options{Cluster: clusterOf(t, server.Server)})
	assert.Equal(t, configuration.Newest, got.Release)
	assert.Zero(t, got.Total)
	notes := strings.Join(got.Notes, "\n")
	assert.Contains(t, notes, `1.37 is assumed. Reading it needs the permission "get" on the nonResourceURL "/version".`)
	assert.Contains(t, notes, `the permission "get" on the nonResourceURL "/metrics" is missing.`)
	assert.Contains(t, notes, "600 seats are assumed")
}

func TestNewerReleaseIsNoted(t *testing.T) {
	answers := standardAnswers(t, "1.37")
	answers["/version"] = ok(`{"gitVersion":"v1.38.0"}`)
	server := startServer(t, answers)
	got := configurationOf(t, source.Options{Cluster: clusterOf(t, server.Server), Total: 600})
	assert.EqualValues(t, "1.38", got.Release)
	assert.Equal(t, []string{"Kubernetes 1.38 of " + server.URL + " is newer than 1.37, the newest release that is known."}, got.Notes)
}

func TestFilesAreLaidOverACluster(t *testing.T) {
	server := startServer(t, standardAnswers(t, "1.33"))
	directory := t.TempDir()
	write(t, directory, map[string]string{"a.yaml": schemaYAML("probes", "v1", "workload-low") + "---\n" + schemaYAML("novel", "v1", "system")})
	got, err := newSource(t, source.Options{
		Cluster: clusterOf(t, server.Server), Files: resource.FilenameOptions{Filenames: []string{directory}},
	}).Configuration(t.Context())
	require.NoError(t, err)
	levels := map[string]string{}
	for _, schema := range got.FlowSchemas {
		levels[schema.Name] = schema.Spec.PriorityLevelConfiguration.Name
	}
	assert.Equal(t, "workload-low", levels["probes"])
	assert.Equal(t, "system", levels["novel"])
	assert.Equal(t, "exempt", levels["exempt"])
}

func TestObjectsWithFieldsOfLaterReleasesAreRead(t *testing.T) {
	answers := standardAnswers(t, "1.37")
	novel, err := json.Marshal(map[string]any{"metadata": map[string]string{"name": "novel"}, "spec": map[string]any{"matchingPrecedence": 5, "novelty": true}})
	require.NoError(t, err)
	answers[groupPath+"/v1/flowschemas"] = ok(`{"kind":"FlowSchemaList","apiVersion":"flowcontrol.apiserver.k8s.io/v1","items":[` + string(novel) + `]}`)
	server := startServer(t, answers)
	got := configurationOf(t, source.Options{Cluster: clusterOf(t, server.Server), Total: 600})
	assert.Equal(t, []string{"novel"}, namesOf(got))
	assert.Empty(t, got.Notes)
}

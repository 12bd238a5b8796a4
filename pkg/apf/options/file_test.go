package options

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/logs"
)

func TestABadFileLeavesTheLastGoodOne(t *testing.T) {
	missing := "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: lost}\nspec: {priorityLevelConfiguration: {name: gone}}\n"
	tests := []struct{ name, content, want string }{
		{"no YAML", "\t{", "document 1: couldn't get version/kind"},
		{"another kind", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", `no kind "ConfigMap" is registered for version "v1"`},
		{"a field that there is not", manifest("a") + "mistaken: true\n", `document 2: strict decoding error: unknown field "mistaken"`},
		{"two objects of one name", manifest("a") + "---\n" + manifest("a"),
			"document 3: PriorityLevelConfiguration a is there already, in PATH, document 1: remove one of them"},
		{"a level that is missing", manifest("a") + "---\n" + missing,
			`PATH, document 3: FlowSchema lost names the PriorityLevelConfiguration "gone", which is not there: add it`},
		{"an invalid object", "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata: {name: a}\nspec: {type: Limited}\n",
			`PriorityLevelConfiguration a: spec.limited must be set if, and only if, spec.type is "Limited"`},
		{"an invalid number", strings.Replace(manifest("a"), "{limitResponse", "{lendablePercent: 101, limitResponse", 1),
			`PriorityLevelConfiguration a: priority level "a" has lendable percent 101: must be between 0 and 100`},
		{"nothing", "# none\n", "PATH: has no FlowSchema and no PriorityLevelConfiguration"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			log := logs.Record(t, "0")
			path := filepath.Join(t.TempDir(), "configuration.yaml")
			write(t, path, manifest("good"))
			f := newFixture()
			source := &file{path: path, sources: f.sources}
			source.read()
			require.Equal(t, Status{Source: fromFile, Place: path, Since: start(), Problems: map[Source]string{}}, f.status())

			write(t, path, test.content)
			f.clock.Step(time.Hour)
			for range 3 {
				source.read()
			}
			assert.Equal(t, []string{"good"}, f.names())
			assert.Equal(t, start(), f.status().Since)
			want := strings.ReplaceAll(test.want, "PATH", path)
			assert.Contains(t, f.status().Problems[fromFile], want)
			assert.Equal(t, 1, complaints(log), "once: %s", log)

			write(t, path, manifest("better"))
			source.read()
			assert.Equal(t, []string{"better"}, f.names())
			assert.Empty(t, f.status().Problems)
		})
	}
}

func TestWhoeverMatchesNothingInAFileIsInCatchAll(t *testing.T) {
	o := NewOptions()
	o.ConfigPath = filepath.Join(t.TempDir(), "configuration.yaml")
	write(t, o.ConfigPath, manifest("paths")) // matches no resources
	s, _ := server(t, o, http.NotFoundHandler())
	const path = "/apis/example.com/v1/things"
	s.Handler.NonGoRestfulMux.Handle(path, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	get(t, s.Handler, path)
	assert.Contains(t, get(t, s.Handler, "/metrics"), `apiserver_flowcontrol_dispatched_requests_total{flow_schema="catch-all",priority_level="catch-all"} 1`)
	assert.NotContains(t, get(t, s.Handler, "/debug/api_priority_and_fairness/dump_priority_levels"), "workload-low", "the built-in objects are gone")
}

func TestAFileThatIsBadAtTheStartIsInForceOnceItIsGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "configuration.yaml")
		f := newFixture()
		source := &file{path: path, sources: f.sources, clock: utilclock.RealClock{}}
		source.read()
		assert.Equal(t, builtIn, f.status().Source)
		assert.Contains(t, f.status().Problems[fromFile], "no such file or directory")
		following(t, source.follow)

		write(t, path, manifest("good"))
		pass(fileInterval + 1)
		assert.Equal(t, fromFile, f.status().Source)
		assert.Empty(t, f.status().Problems)

		applied := f.applied
		pass(time.Hour)
		assert.Equal(t, applied, f.applied, "nothing has changed")
	})
}

// A mounted ConfigMap is a folder of links to a hidden folder, which a link names; a change
// replaces that link.
func TestAMountedConfigMapThatChangesIsReadAgain(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "..1", "a.yaml"), manifest("first"))
	write(t, filepath.Join(folder, "..2", "a.yaml"), manifest("second"))
	write(t, filepath.Join(folder, "README"), "not a manifest")
	write(t, filepath.Join(folder, "b.yml"), manifest("b"))
	write(t, filepath.Join(folder, "c.json"), `{"apiVersion":"v1","kind":"List","items":[]}`)
	require.NoError(t, os.Symlink("..1", filepath.Join(folder, "..data")))
	require.NoError(t, os.Symlink("..data/a.yaml", filepath.Join(folder, "a.yaml")))
	f := newFixture()
	source := &file{path: folder, sources: f.sources}
	source.read()
	require.Equal(t, []string{"first", "b"}, f.names())

	require.NoError(t, os.Symlink("..2", filepath.Join(folder, "next")))
	require.NoError(t, os.Rename(filepath.Join(folder, "next"), filepath.Join(folder, "..data")))
	source.read()
	require.Equal(t, []string{"second", "b"}, f.names())

	require.NoError(t, os.Rename(folder, folder+".away"))
	t.Cleanup(func() { _ = os.RemoveAll(folder + ".away") })
	source.read()
	require.Equal(t, []string{"second", "b"}, f.names(), "a folder that disappears leaves its last manifests")
	require.Contains(t, f.status().Problems[fromFile], "no such file or directory")

	require.NoError(t, os.Rename(folder+".away", folder))
	source.read()
	require.Empty(t, f.status().Problems)
}

func TestManifestsAreReadInEveryForm(t *testing.T) {
	const v1beta3 = `apiVersion: flowcontrol.apiserver.k8s.io/v1beta3
kind: PriorityLevelConfiguration
metadata: {name: old, annotations: {flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares: ""}}
spec: {type: Limited, limited: {nominalConcurrencyShares: 0, limitResponse: {type: Reject}}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1beta3
kind: PriorityLevelConfiguration
metadata: {name: usual}
spec: {type: Limited, limited: {limitResponse: {type: Queue, queuing: {handSize: 4}}}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1beta3
kind: FlowSchema
metadata: {name: old}
spec: {priorityLevelConfiguration: {name: old}, distinguisherMethod: {type: ByUser}, rules: [{subjects: [{kind: User, user: {name: a}}], nonResourceRules: [{verbs: [get], nonResourceURLs: ["*"]}]}]}
`
	m, err := parse([]string{"f"}, map[string][]byte{"f": []byte(v1beta3)})
	require.NoError(t, err)
	assert.Equal(t, int32(0), *m.levels[0].Spec.Limited.NominalConcurrencyShares, "the annotation keeps zero")
	assert.Nil(t, m.levels[1].Spec.Limited.NominalConcurrencyShares, "zero is the default")
	queuing := m.levels[1].Spec.Limited.LimitResponse.Queuing
	assert.Equal(t, []int32{64, 4, 50}, []int32{queuing.Queues, queuing.HandSize, queuing.QueueLengthLimit})
	assert.Equal(t, int32(1000), m.schemas[0].Spec.MatchingPrecedence)
	assert.Equal(t, "a", m.schemas[0].Spec.Rules[0].Subjects[0].User.Name)

	const list = `{"apiVersion":"v1","kind":"List","items":[
{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"PriorityLevelConfiguration","metadata":{"name":"a"},"spec":{"type":"Limited","limited":{"limitResponse":{"type":"Reject"}}},"status":{}},
{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":"a"},"spec":{"priorityLevelConfiguration":{"name":"a"}},"status":{}}]}`
	m, err = parse([]string{"f"}, map[string][]byte{"f": []byte(list)})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"PriorityLevelConfiguration a": "f, document 1, item 1", "FlowSchema a": "f, document 1, item 2"}, m.from)
}

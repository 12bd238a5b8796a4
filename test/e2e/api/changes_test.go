package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// change is what a release of Kubernetes changed for clients of this group.
type change struct {
	// since is the release, or the first one after 1.33 on which the cases run.
	since string
	// what changed, what kube-apiserver does since, and what this server does on that release.
	what, peers, ours string
	// shows lists cases that show it, and tests elsewhere, as in sentences_test.go.
	shows []string
}

// changes returns what the releases after 1.33 changed, the release under test included.
func changes() []change {
	const same = "the same, on k8s.io of that release"
	return []change{
		{"1.34", "seats of a list", "by bytes, not by objects", "`--list-cost` on every release; by bytes as measured, unless it says otherwise", []string{"kubectl-apf/e2e/agreement TestANewerKubeAPIServerDoesWhatIsExplained"}},
		{"1.34", "streaming lists, `sendInitialEvents`", "on by default", same + "; on 0.33 too, an intended difference", []string{"watches: initial events, closed by a bookmark"}},
		{"1.34", "lists of an exact version, and later chunks", "from snapshots of the watch cache, so that a version which etcd has just compacted may still be answered", same, []string{"lists: a version compacted away", "chunks: a token that expired goes on in another snapshot"}},
		{"1.34", "`creationTimestamp: null`", "left out", same, []string{"self-reviews: what I may do"}},
		{"1.35", "the beta of aggregated discovery", "406, and no feature gate brings it back", same, []string{"discovery: aggregated"}},
		{"1.36", "watches without a version", "never from etcd: no feature gate asks for it", same, []string{"watches: from now: the state, then what is new"}},
		{"1.36", "an update of what does not exist, with a uid", "404, not 409", same, []string{"write details: versions in an update", "hack/lab/linearizability TestOperationsAreLinearizable"}},
		{"1.36", "the FlowSchemas `endpoint-controller` and `workload-leader-election`", "no longer built in", same, []string{"kubectl-apf/configuration TestBuiltInObjectsAreThoseOfKubernetes"}},
		{"1.37", "declarative validation", "generated rules beside the written ones", "the written rules, with the same verdict on every object; the reported failures differ as listed below", []string{"apply: give up, and remove what nobody owns", "test/e2e/fuzzparity TestKubeAPIServerAndThisServerJudgeAlike"}},
		{"1.37", "a patch of what does not exist, with a body that is no patch", "400, not 404", same, []string{"patch details: patches of what is missing"}},
		{"1.37", "managed fields that a client writes, and that are invalid", "the previous ones stay; before 1.37 the object lost all", same, []string{"apply details: the record is written by hand"}},
		{"1.37", "initial events to a client that takes gzip", "compressed", same, []string{"watches: initial events to a client that takes gzip"}},
	}
}

// laterReleases returns the section of the document about later releases.
func laterReleases() string {
	var text strings.Builder
	text.WriteString(`
## On later releases of Kubernetes

` + "`make conformance K8S=0.37`" + ` compares the server on k8s.io 0.37 with kube-apiserver 1.37; 0.36 is
the other release. The cases in ` + "`v1beta3`" + ` run beside kube-apiserver 1.33, the last one that can
serve it. ` + "`make test-releases`" + ` also runs fuzz parity, the watch model, round trips and
linearizability: ten minutes for each release, and the builds.

What these releases changed for clients of this group. Where no feature gate tells the release, it is
the first of 1.36 and 1.37 that has the change:

`)
	text.WriteString(changesTable())
	text.WriteString("\nThe intended differences above, and in addition:\n\n| since | difference | reason |\n|---|---|---|\n")
	for _, later := range laterDifferences() {
		fmt.Fprintf(&text, "| 1%s | %s | %s |\n", strings.TrimPrefix(later.since, "0"), later.name, later.reason)
	}
	return text.String()
}

func changesTable() string {
	var text strings.Builder
	text.WriteString("| since | what | kube-apiserver | this server | shown by |\n|---|---|---|---|---|\n")
	for _, change := range changes() {
		var shows []string
		for _, test := range change.shows {
			if isElsewhere(test) {
				test = "`" + test + "`"
			}
			shows = append(shows, test)
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s |\n", change.since, change.what, change.peers, change.ours, strings.Join(shows, "<br>"))
	}
	return text.String()
}

func TestEveryChangeIsShown(t *testing.T) {
	var names []string
	for _, theme := range themes() {
		for _, c := range theme.cases {
			names = append(names, theme.name+": "+c.name)
		}
	}
	for _, change := range changes() {
		assert.NotEmpty(t, change.shows, change.what)
		for _, test := range change.shows {
			assert.True(t, slices.Contains(names, test) || isElsewhere(test), "%s: there is no case %q", change.what, test)
		}
	}
}

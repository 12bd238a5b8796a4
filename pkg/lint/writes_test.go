package lint

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/utils/clock"
)

// cluster returns an Advisor and what is stored: the faultless objects among the
// built-in ones.
func cluster() (*Advisor, *fakeReader, *flowcontrolv1.PriorityLevelConfiguration) {
	_, schema, level := faultless()
	stored := release().stored()
	stored.schemas = append(stored.schemas, *schema)
	stored.levels = append(stored.levels, level)
	stored.cached = append(stored.cached, level.Name)
	return NewAdvisor(release(), 600, clock.RealClock{}), stored, level
}

// FC204 is about kube-apiservers. That other advice about levels is Check's, TestAdviceAgreesWithCheck shows.
func TestAdviceAboutALevelIsNotAboutItsHands(t *testing.T) {
	advisor, stored, level := cluster()
	level.Spec.Limited.LimitResponse.Queuing.Queues = 6
	require.Empty(t, codesOf(advisor.PriorityLevel(t.Context(), level, stored)))
}

func TestAdviceAboutWrittenBuiltInObjects(t *testing.T) {
	advisor, stored, _ := cluster()
	level := stored.levels[len(stored.levels)-2].DeepCopy()
	level.Spec.Limited.LendablePercent = new(int32(10))
	require.Equal(t, []Code{RevertedChange}, codesOf(advisor.PriorityLevel(t.Context(), level, stored)))
	level.Annotations[flowcontrolv1.AutoUpdateAnnotationKey] = "false"
	require.Empty(t, advisor.PriorityLevel(t.Context(), level, stored))

	nodes := everything("nodes", 300, aGroup("system:nodes"))
	nodes.Spec.PriorityLevelConfiguration.Name = "mine"
	findings := advisor.FlowSchema(t.Context(), &nodes, stored)
	require.Equal(t, []Code{TakesFromBuiltIn}, codesOf(findings))
	require.Equal(t, `Requests of "system-nodes" and "system-node-high" match this FlowSchema first. Its priority level "mine" has 46 seats, and theirs has 91 seats.`, findings[0].Message)
	require.Equal(t, []Object{schemaObject("system-nodes"), schemaObject("system-node-high")}, findings[0].Related)
}

func TestAdviceAboutDeletedObjects(t *testing.T) {
	advisor, stored, _ := cluster()
	require.Equal(t, []Code{DeletedSuggestion}, codesOf(advisor.DeletedFlowSchema("service-accounts")))
	require.Empty(t, advisor.DeletedFlowSchema("mine"))
	require.Empty(t, advisor.DeletedFlowSchema("catch-all"))

	require.Equal(t, []Code{DeletedSuggestion}, codesOf(advisor.DeletedPriorityLevel(t.Context(), "workload-low", stored)))
	require.Empty(t, advisor.DeletedPriorityLevel(t.Context(), "catch-all", stored))
	require.Empty(t, advisor.DeletedPriorityLevel(t.Context(), "unused", stored))
	require.Equal(t, []string{
		`FC203 (info): FlowSchema "mine" names this level, and matches no request once it is deleted. Delete it too, or name another level in it.`,
	}, texts(advisor.DeletedPriorityLevel(t.Context(), "mine", stored)))
}

func TestReadErrorsReplaceFindingsAboutLevels(t *testing.T) {
	advisor, stored, level := cluster()
	level = level.DeepCopy()
	level.Spec.Limited.LendablePercent = new(int32(100))
	stored.broken = errors.New("no store")
	require.Equal(t, []Code{NotChecked}, codesOf(advisor.PriorityLevel(t.Context(), level, stored)))
	require.Equal(t, []Code{NotChecked}, codesOf(advisor.DeletedPriorityLevel(t.Context(), "mine", stored)))

	nodes := everything("nodes", 300, aGroup("system:nodes"))
	nodes.Spec.PriorityLevelConfiguration.Name = "mine"
	require.Equal(t, []Code{NotChecked}, codesOf(advisor.FlowSchema(t.Context(), &nodes, stored)))
}

// What a bundle and a write say about the same object is the same.
func TestAdviceAgreesWithCheck(t *testing.T) {
	for _, test := range realManifests() {
		bundle := manifestFile(t, test.file)
		judged := newJudge(&bundle)
		advisor := NewAdvisor(bundle.Defaults, bundle.Total, clock.RealClock{})
		stored := &fakeReader{levels: sortedByName(judged.levels)}
		for _, schema := range judged.schemas {
			stored.schemas = append(stored.schemas, *schema)
		}
		for name := range judged.levels {
			stored.cached = append(stored.cached, name)
		}
		all := Check(bundle)
		for _, schema := range judged.schemas {
			requireSameFindings(t, test.file, schemaObject(schema.Name), all, advisor.FlowSchema(t.Context(), schema, stored))
		}
		for _, level := range stored.levels {
			requireSameFindings(t, test.file, levelObject(level.Name), all, advisor.PriorityLevel(t.Context(), level, stored))
		}
	}
}

// requireSameFindings compares the findings about the object. A write has none that are
// settled only by the whole bundle, and none about manifests.
func requireSameFindings(t *testing.T, file string, object Object, checked, advised []Finding) {
	t.Helper()
	// A bundle reports a precedence in use to the loser, a write to either. A kube-apiserver is not written to.
	onlyOfBundles := map[Code]bool{SharedHands: true, SamePrecedence: true, MissingLevel: true, UnusedLevel: true, RemovedAPIVersion: true, DeprecatedVersion: true, RenamedField: true, InvalidObject: true}
	// A write does not look for others that it covers, and one that is covered does not know of further ones.
	onlyOfBundles[NeverMatches] = slices.ContainsFunc(checked, func(f Finding) bool { return strings.HasPrefix(f.Message, "This FlowSchema comes before") })
	var want, got []string
	for _, f := range checked {
		if f.Object == object && !onlyOfBundles[f.Code] {
			want = append(want, f.String())
		}
	}
	for _, f := range advised {
		if f.Object == object && !onlyOfBundles[f.Code] {
			got = append(got, f.String())
		}
	}
	require.Equal(t, want, got, "%s: %v", file, object)
}

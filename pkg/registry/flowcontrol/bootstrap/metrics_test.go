package bootstrap

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// counted returns the counters of a keeper that are not zero, and the number of counters that are,
// by "kind name operation".
func counted(t *testing.T, k *Keeper) (counts map[string]float64, zeroes int) {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(k.metrics.writes))
	families, err := registry.Gather()
	require.NoError(t, err)
	require.Len(t, families, 1)
	require.Equal(t, "flowcontrol_apiserver_built_in_object_writes_total", families[0].GetName())
	counts = map[string]float64{}
	for _, metric := range families[0].GetMetric() {
		labels := metric.GetLabel()
		if value := metric.GetCounter().GetValue(); value > 0 {
			counts[labels[0].GetValue()+" "+labels[1].GetValue()+" "+labels[2].GetValue()] = value
		} else {
			zeroes++
		}
	}
	return counts, zeroes
}

// keeperOfTwo returns a keeper of the mandatory level l and schema s.
func (a *api) keeperOfTwo() *Keeper {
	level, schema := withAutoUpdate(newLevel("l", 5), "true"), withAutoUpdate(newSchema("s", "l", 100), "true")
	return a.keeperOf([2][]*flowcontrolv1.PriorityLevelConfiguration{{level}}, [2][]*flowcontrolv1.FlowSchema{{schema}})
}

func TestWritesAreCountedByObjectAndOperation(t *testing.T) {
	a := newAPI(t)
	k := a.keeperOfTwo()
	counts, zeroes := counted(t, k)
	require.Empty(t, counts)
	require.Equal(t, 6, zeroes, "each operation on each object has a counter before the first write")

	require.NoError(t, k.EnsureOnce(t.Context()))
	for range 3 {
		a.put(withAutoUpdate(newLevel("l", 7), "true"))
		require.NoError(t, k.EnsureOnce(t.Context()))
	}
	a.put(withAutoUpdate(newSchema("s", "l", 100), "absent"))
	a.put(withAutoUpdate(newLevel("obsolete", 5), "true"))
	require.NoError(t, k.EnsureOnce(t.Context()))
	require.NoError(t, k.EnsureOnce(t.Context()))
	counts, _ = counted(t, k)
	require.Equal(t, map[string]float64{
		"PriorityLevelConfiguration l create":        1,
		"PriorityLevelConfiguration l restore":       3,
		"PriorityLevelConfiguration obsolete delete": 1,
		"FlowSchema s create":                        1,
		"FlowSchema s annotate":                      1,
	}, counts)
}

// The first pass fills the store: nothing was undone.
func TestWhatIsUndoneIsReported(t *testing.T) {
	a := newAPI(t)
	k := a.keeperOfTwo()
	require.NoError(t, k.EnsureOnce(t.Context()))
	require.Empty(t, a.reports.lines)

	a.put(withAutoUpdate(newLevel("l", 7), "true"))
	require.NoError(t, a.FlowcontrolV1().FlowSchemas().Delete(t.Context(), "s", metav1.DeleteOptions{}))
	require.NoError(t, k.EnsureOnce(t.Context()))
	require.NoError(t, k.EnsureOnce(t.Context()))
	require.Equal(t, []string{"PriorityLevelConfiguration l restored", "FlowSchema s recreated"}, a.reports.lines)
}

func TestWritesThatFailAreNotCounted(t *testing.T) {
	a := newAPI(t)
	a.fail("create", "*", "", func() error { return conflict(levelsResource, "l") })
	k := a.keeperOf([2][]*flowcontrolv1.PriorityLevelConfiguration{{newLevel("l", 5)}}, [2][]*flowcontrolv1.FlowSchema{})
	require.Error(t, k.EnsureOnce(t.Context()))
	counts, _ := counted(t, k)
	require.Empty(t, counts)
}

func TestAnObjectThatIsDeniedIsSaid(t *testing.T) {
	a := newAPI(t)
	k := a.keeperOfTwo()
	requireEnsured := func(level, schema int) {
		t.Helper()
		require.NoError(t, testutil.CollectAndCompare(k.Metrics(), strings.NewReader(fmt.Sprintf(`
# HELP flowcontrol_apiserver_built_in_object_ensured [ALPHA] 1 if the built-in FlowSchema or PriorityLevelConfiguration was as it should be, or was made so, when this server looked last; 0 if this server could not create or update it
# TYPE flowcontrol_apiserver_built_in_object_ensured gauge
flowcontrol_apiserver_built_in_object_ensured{kind="FlowSchema",name="s"} %d
flowcontrol_apiserver_built_in_object_ensured{kind="PriorityLevelConfiguration",name="l"} %d
`, schema, level)), "flowcontrol_apiserver_built_in_object_ensured"))
	}
	requireEnsured(0, 0)
	denied := true
	for _, verb := range []string{"create", "update"} {
		a.fail(verb, levelsResource, "l", func() error {
			if denied {
				return errors.New("denied by a webhook")
			}
			return nil
		})
	}
	require.Error(t, k.EnsureOnce(t.Context()))
	requireEnsured(0, 1)
	require.Equal(t, []string{`PriorityLevelConfiguration l failed: PriorityLevelConfiguration "l": create: denied by a webhook`}, a.reports.lines)

	denied = false
	require.NoError(t, k.EnsureOnce(t.Context()))
	requireEnsured(1, 1)
	denied, a.reports.lines = true, nil
	a.put(withAutoUpdate(newLevel("l", 7), "true"))
	require.Error(t, k.EnsureOnce(t.Context()))
	requireEnsured(0, 1)
	require.Equal(t, []string{`PriorityLevelConfiguration l failed: PriorityLevelConfiguration "l": update: denied by a webhook`}, a.reports.lines)
}

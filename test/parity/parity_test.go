package parity

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// objectCount is the number of objects of each kind and degree.
func objectCount() int { return lane.Pick(5_000, 50_000) }

// degree is the distance of the generated objects from valid ones.
type degree struct {
	name string
	// wildness is the probability that a choice is bad; mutation is the
	// probability that a node of the JSON is replaced.
	wildness, mutation float64
	// acceptedFrom and acceptedTo bound the share of valid objects. They detect a
	// generator that no longer matches its name.
	acceptedFrom, acceptedTo float64
}

func degrees() []degree {
	return []degree{
		{name: "valid", acceptedFrom: 1, acceptedTo: 1},
		{name: "nearly valid", wildness: 0.02, acceptedFrom: 0.3, acceptedTo: 0.95},
		{name: "wild", wildness: 0.3, mutation: 0.003, acceptedFrom: 0.01, acceptedTo: 0.2},
	}
}

// tally counts the verdicts of Kubernetes.
type tally struct {
	decoded, accepted int
	faults            map[string]int
}

func TestKubernetesAndThisServerAgree(t *testing.T) {
	seed, count := lane.Seed(t), objectCount()

	kinds := map[string]func(*objects.Generator) runtime.Object{
		"FlowSchema":                 func(g *objects.Generator) runtime.Object { return g.FlowSchema() },
		"PriorityLevelConfiguration": func(g *objects.Generator) runtime.Object { return g.Level() },
	}
	servers := newPair()
	for kind, generate := range kinds {
		seen := tally{faults: map[string]int{}}
		for _, degree := range degrees() {
			t.Run(degree.name+" "+kind, func(t *testing.T) {
				seen.decoded, seen.accepted = 0, 0
				for i := range count {
					g := objects.New(seed, uint64(i), degree.wildness)
					seen.add(servers.requireAgreement(t, encode(g, generate(g), kind, degree.mutation)))
				}
				t.Logf("%d of %d objects could be decoded, %d are valid", seen.decoded, count, seen.accepted)
				if share := float64(seen.accepted) / float64(count); share < degree.acceptedFrom || share > degree.acceptedTo {
					t.Errorf("%.3f of the objects are valid, must be between %v and %v", share, degree.acceptedFrom, degree.acceptedTo)
				}
			})
		}
		t.Run("every rule of "+kind+" was broken", func(t *testing.T) {
			for _, fault := range objects.FaultsOf(kind) {
				if seen.faults[fault] == 0 {
					t.Errorf("no object had the fault %q", fault)
				}
			}
		})
	}
}

func (seen *tally) add(a answer) {
	if a.Undecodable {
		return
	}
	seen.decoded++
	if a.accepts() {
		seen.accepted++
	}
	for _, fault := range a.Create {
		seen.faults[withoutValue(fault)]++
	}
}

// encode encodes object in one of the two versions. In v1beta3, a valid object
// with zero shares has the annotation that preserves them.
func encode(g *objects.Generator, object runtime.Object, kind string, mutation float64) []byte {
	tree, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		panic(err)
	}
	version := "v1"
	if g.Chance(0.5) {
		version = "v1beta3"
		if level, ok := object.(*flowcontrolv1.PriorityLevelConfiguration); ok && len(level.Annotations) == 0 && g.Chance(0.3) {
			tree["metadata"].(map[string]any)["annotations"] = map[string]any{objects.KeepZeroShares: ""}
		}
	}
	for _, key := range []string{"metadata", "spec", "status"} {
		tree[key] = objects.Mutate(g, tree[key], mutation)
	}
	tree["apiVersion"], tree["kind"] = flowcontrolv1.GroupName+"/"+version, kind
	return objects.Encode(tree)
}

// pair is the two servers that are compared.
type pair struct{ ours, theirs *server }

func newPair() pair { return pair{ours: newOurs(), theirs: newTheirs()} }

// answers returns the answer of Kubernetes and whether the product's is equal.
func (p pair) answers(data []byte) (answer, bool) {
	want := p.theirs.answer(data)
	return want, equality.Semantic.DeepEqual(want, p.ours.answer(data))
}

// requireAgreement returns the answer of both. If they differ, it stops the
// test with the smallest object that still shows a difference.
func (p pair) requireAgreement(t *testing.T, data []byte) answer {
	t.Helper()
	agreed, same := p.answers(data)
	if !same {
		smallest := objects.Reduce(data, func(data []byte) bool {
			_, same := p.answers(data)
			return !same
		})
		t.Fatalf("the servers differ on\n%s\n(-kubernetes +this server)\n%s", smallest, cmp.Diff(p.theirs.answer(smallest), p.ours.answer(smallest)))
	}
	return agreed
}

// withoutValue removes the bad value and the indices of lists from a fault.
func withoutValue(fault string) string {
	parts := strings.SplitN(fault, " ", 3)
	return parts[0] + " " + regexp.MustCompile(`\[\d+\]`).ReplaceAllString(parts[1], "[]")
}

// FuzzAgreement checks the same for fuzzed bytes.
func FuzzAgreement(f *testing.F) {
	for i := range uint64(20) {
		g := objects.New(1, i, 0.1)
		f.Add(encode(g, g.FlowSchema(), "FlowSchema", 0))
		f.Add(encode(g, g.Level(), "PriorityLevelConfiguration", 0))
	}
	servers := newPair()
	f.Fuzz(func(t *testing.T, data []byte) {
		servers.requireAgreement(t, data)
	})
}

package objects

import (
	"strings"

	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KeepZeroShares is the annotation that distinguishes zero shares from unset ones in v1beta3.
const KeepZeroShares = flowcontrolv1beta3.PriorityLevelPreserveZeroConcurrencySharesKey

func goodLabels() []string {
	return []string{"default", "kube-system", "a", "1", strings.Repeat("n", 63)}
}

func badLabels() []string {
	return []string{"", "*", "A", "a_b", "-a", "a.b", "a b", "ä", "a/b", strings.Repeat("n", 64)}
}

// name returns a name. The names of mandatory objects count as bad, because the
// generated spec does not match.
func (g *Generator) name() string {
	return pick(g,
		[]string{"batch", "a.b-c.1", "system", strings.Repeat("n", 253)},
		[]string{"", "exempt", "catch-all", "Batch", "a_b", "a..b", "-a", "a/b", "%", strings.Repeat("n", 254)},
	)
}

// metadata sets the fields that depend on neither the name nor the version.
func (g *Generator) metadata(metadata *metav1.ObjectMeta) {
	if g.Chance(0.3) {
		metadata.GenerateName = pick(g, []string{"batch-", "b"}, []string{"B", "a_", ".", strings.Repeat("n", 254)})
	}
	if g.Chance(0.3) {
		key := pick(g, []string{"app", "example.com/app"}, []string{"", "a b", "/", "a/b/c", strings.Repeat("k", 64)})
		metadata.Labels = map[string]string{key: pick(g, []string{"", "web"}, []string{"a b", "-", strings.Repeat("v", 64)})}
	}
	if g.Chance(0.3) {
		key := pick(g, []string{"note", "Example.com/Note", "apf.kubernetes.io/autoupdate-spec"}, []string{"", "a b", "a/b/c", KeepZeroShares})
		metadata.Annotations = map[string]string{key: pick(g, []string{"", "true", "any text"}, []string{"\x00"})}
	}
	if g.Chance(0.2) {
		metadata.Finalizers = several(g, 1, 2, func() string {
			return pick(g, []string{"example.com/hold", "kubernetes", "orphan"}, []string{"hold", "foregroundDeletion", "", "a/b/c", "/", "A b/c"})
		})
	}
	if g.Chance(0.1) {
		metadata.OwnerReferences = []metav1.OwnerReference{g.owner(g.Chance(0.5))}
		if g.Chance(0.3) {
			metadata.OwnerReferences = append(metadata.OwnerReferences, g.owner(g.Wild()))
		}
	}
	if g.Chance(0.1) {
		metadata.ManagedFields = []metav1.ManagedFieldsEntry{{
			Manager:    pick(g, []string{"kubectl", ""}, []string{"a\tb", strings.Repeat("m", 129)}),
			Operation:  pick(g, []metav1.ManagedFieldsOperationType{"Apply", "Update"}, []metav1.ManagedFieldsOperationType{"", "apply"}),
			FieldsType: pick(g, []string{"", "FieldsV1"}, []string{"FieldsV2"}),
		}}
	}
	if g.Wild() {
		metadata.Namespace = "default"
	}
	if g.Wild() {
		metadata.Generation = int64(g.number(0, 10))
	}
}

func (g *Generator) owner(controls bool) metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: pick(g, []string{"v1", "apps/v1"}, []string{"", "a/b/c"}),
		Kind:       pick(g, []string{"Namespace", "ConfigMap"}, []string{"", "Event"}),
		Name:       pick(g, []string{"owner"}, []string{""}),
		UID:        "1234",
		Controller: new(controls),
	}
}

package gosyntax_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/gosyntax"
)

func TestGoSyntaxIsFound(t *testing.T) {
	for _, value := range []any{
		[]string{"a"}, map[string]int{}, metav1.OwnerReference{}, &metav1.OwnerReference{}, new(5), []metav1.OwnerReference{{Controller: new(true)}},
		struct{ Type string }{"ByX"}, metav1.LabelSelector{},
	} {
		text := fmt.Sprintf(`spec: Invalid value: %#v: must be "a"`, value)
		require.NotEmpty(t, gosyntax.Find(text), "%s", text)
	}
}

func TestOtherTextsHaveNone(t *testing.T) {
	for _, text := range []string{
		`spec.rules[0].verbs: Unsupported value: "map[", "&{\"0x1": supported values: "create"`,
		`spec: Invalid value: {"limited":{"a":1}}: must equal the built-in spec (10 more)`,
		`metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"A"}]: Only one reference can have Controller set to true.`,
	} {
		require.Empty(t, gosyntax.Find(text), "%s", text)
	}
}

package objects

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
)

func TestAReducedDifferenceIsAsSmallAsItGets(t *testing.T) {
	g := New(1, 1, 0.1)
	schema := g.FlowSchema()
	schema.Spec.Rules = []flowcontrolv1.PolicyRulesWithSubjects{g.PolicyRules(), {Subjects: []flowcontrolv1.Subject{{Kind: "sought"}, g.subject()}}}
	isSought := func(data []byte) bool { return strings.Contains(string(data), "sought") }
	require.JSONEq(t, `{"spec":{"rules":[{"subjects":[{"kind":"sought"}]}]}}`, string(Reduce(Encode(schema), isSought)))
}

func TestANumberOfAnySizeKeepsItsDigits(t *testing.T) {
	const text = `[1e400,12345678901234567890,1.0]`
	require.Equal(t, text, string(Encode(Decode([]byte(text)))))
}

func TestTheSameSeedMakesTheSameObjects(t *testing.T) {
	made := func() string {
		g := New(7, 3, 0.3)
		return string(Encode([]any{Mutate(g, Tree(g.FlowSchema()), 0.1), Mutate(g, Tree(g.Level()), 0.1)}))
	}
	first, second := made(), made()
	require.Equal(t, first, second)
}

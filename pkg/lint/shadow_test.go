package lint

import (
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
)

func TestSchemasOfOtherPrecedenceAreNotTied(t *testing.T) {
	schema := everything("new", 5, aUser("alice"))
	others := pointers([]flowcontrolv1.FlowSchema{everything("other", 6, aUser("alice")), everything("one-more", 4, aUser("alice"))})
	require.Empty(t, tiedWith(NewCompared(&schema), comparedOf(others), unlimited()))
}

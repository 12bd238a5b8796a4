package badrequest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func TestYAMLAliasesAreBoundedByWhatTheyStandFor(t *testing.T) {
	text := strings.Repeat("x", 100)
	for name, test := range map[string]struct {
		body     string
		rejected bool
	}{
		"one alias":                              {"a: &a " + text + "\nb: *a\n", false},
		"as many as fit":                         {"a: &a " + text[:50] + "\nb: [*a, *a, *a]\n", false},
		"a text named many times":                {"a: &a " + text + "\nb: [*a, *a, *a]\n", true},
		"aliases of aliases":                     {"a: &a [abcd, abcd]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\nd: [*c, *c, *c]\n", true},
		"a merge":                                {"a: &a {k: " + text + "}\nb: {<<: *a}\nc: {<<: *a}\nd: {<<: *a}\n", true},
		"beside a key that is there twice":       {"a: &a " + text + "\na: 1\nb: [*a, *a, *a]\n", true},
		"of a value with a tag":                  {"a: &a !!str " + text + "\nb: [*a, *a, *a]\n", true},
		"before malformed YAML with a tag":       {"a: &a !!str " + text + "\nb: [*a, *a, *a]\nc: [", true},
		"in a second document, which none reads": {"a: 1\n---\na: &a " + text + "\nb: [*a, *a, *a]\n", false},
		"many nodes, which the library rejects":  {"a: &a [1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n", false},
		"a node that holds itself":               {"a: &a [*a]\n", false},
		"no alias, but both signs":               {"a: '& *'\n", false},
		"an alias of nothing":                    {"a: *b # &\n", false},
		"no YAML":                                {"a: [& *", false},
		"an anchor that none names":              {"a: &a " + text + " # *\n", false},
	} {
		for _, media := range []string{"application/yaml", "application/yaml; charset=utf-8", "application/apply-patch+yaml"} {
			t.Run(name+", "+media, func(t *testing.T) {
				require.LessOrEqual(t, len(test.body), bodyLimit)
				seen, err := serve(t, "create", "", media, test.body)
				if !test.rejected {
					require.NoError(t, err)
					require.Equal(t, test.body, seen, "the API reads the whole body")
					return
				}
				require.True(t, apierrors.IsBadRequest(err), "%v", err)
				require.Regexp(t, "with its aliases expanded, the YAML body has more than 300 bytes|aliases that cannot be followed", err.Error())
			})
		}
	}
	_, err := serve(t, "create", "", "application/json", `{"a": "&a *a"}`)
	require.NoError(t, err)
}

package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// themes are all cases, by what they are about.
func themes() []theme {
	return []theme{
		listTheme(),
		patchTheme(),
	}
}

// TestConformance leads this server and kube-apiserver through all cases.
func TestConformance(t *testing.T) {
	p := startPair(t, pairOptions{})
	for _, theme := range themes() {
		t.Run(theme.name, func(t *testing.T) {
			for _, c := range theme.cases {
				t.Run(c.name, func(t *testing.T) {
					p.lead(t, c)
				})
			}
		})
	}
}

func TestSentencesHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, section := range contract() {
		for _, sentence := range section.sentences {
			require.False(t, seen[sentence.id], "%s stands twice", sentence.id)
			seen[sentence.id] = true
		}
	}
}

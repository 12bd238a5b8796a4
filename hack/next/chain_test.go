package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTableOfFiltersHasThemInTheOrderOfWrappingWithWhatTheReleaseChanged(t *testing.T) {
	before, err := libraryChain("testdata/before/config.go")
	require.NoError(t, err)
	after, err := libraryChain("testdata/after/config.go")
	require.NoError(t, err)
	ours, err := ourChain("testdata/ours.go")
	require.NoError(t, err)
	assert.Equal(t, []row{
		{"ours.WithAnswers", "", ""},
		{"WithAuthentication", "WithAuthentication", "changed: filters.WithAuthentication(chain, failedHandler) -> filters.WithAuthentication(filters.WithInner(chain), failed(c))"},
		{"", "WithOld", "gone: filters.WithOld(chain)"},
		{"", "WithInner", "new: filters.WithInner(chain)"},
		{"WithTracing", "WithTracing", "changed: filters.WithTracing(chain) if c.Tracing -> filters.WithTracing(chain)"},
		{"ours.New", "", ""},
		{"", "WithFairness", "changed: filters.WithFairness(chain, estimator) if c.FlowControl != nil -> filters.WithFairness(chain) if c.FlowControl != nil && c.Fair"},
		{"", "WithLimit", "changed: filters.WithLimit(chain, c.Limit) if !(c.FlowControl != nil) -> filters.WithLimit(chain, c.Limit, c.Max) if !(c.FlowControl != nil)"},
		{"WithAuthorization", "WithAuthorization", ""},
	}, newTable(ours, before, after))
}

func TestChainThatIsMadeElsewhereIsAnError(t *testing.T) {
	_, err := libraryChain("testdata/ours.go")
	require.ErrorContains(t, err, "testdata/ours.go has no function DefaultBuildHandlerChain")
}

// TestChainOfThisServerIsRead fails if pkg/server lists its filters in another way.
func TestChainOfThisServerIsRead(t *testing.T) {
	names, err := ourChain("../../pkg/server/handlerchain.go")
	require.NoError(t, err)
	assert.Greater(t, len(names), 30)
	assert.Contains(t, names, "filter.New")
}

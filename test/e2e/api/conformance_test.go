package api

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

var update = flag.Bool("update-conformance", false, "write docs/evidence/conformance.md, and fail if it was not current")

// themes returns all cases, by theme.
func themes() []theme {
	return []theme{
		scripted("metadata"),
		scripted("schemas"),
		scripted("storage").with(largeObjects()),
		encodingTheme(),
		tableTheme(),
		discoveryTheme(),
		scripted("v1beta3").with(betaCases()...),
		scripted("self-reviews").with(reviewCases()...),
	}
}

// TestConformance runs all cases, and generated objects, on this server and kube-apiserver: in v1
// beside the release under test, and in v1beta3 beside one that emulates 1.31.
func TestConformance(t *testing.T) {
	t.Parallel()
	pair := startPair(t)
	results := pair.leadAll(t, nil)
	t.Run("generated objects", pair.generated)

	emulated := pair.besideEmulated(t)
	results = append(results, emulated.leadAll(t, olderPeer())...)
	t.Run("generated objects in both versions", emulated.generated)
	emulated.ours.inBeta, emulated.peer.inBeta = true, true
	t.Run("in v1beta3", func(t *testing.T) { emulated.leadAll(t, nil) })

	if t.Failed() {
		t.Logf("%s is written and checked when all cases pass", documentPath)
		return
	}
	if since("0.36") {
		checkDifferences(t, laterDifferencesHere(), results)
		return
	}
	checkDifferences(t, differences(), results)
	checkDocument(t, document(results))
}

// olderPeer returns the cases in v1beta3 that a later release of this server does not share with
// kube-apiserver 1.33.
func olderPeer() map[string]string {
	if !since("0.36") {
		return nil
	}
	return map[string]string{"v1beta3: discovery tells of both versions": "1.33 writes creationTimestamp: null"}
}

// checkDifferences fails for intended differences that no case shows.
func checkDifferences(t *testing.T, differences []difference, results []result) {
	t.Helper()
	met := map[string]bool{}
	for _, result := range results {
		for _, name := range result.excused {
			met[name] = true
		}
	}
	for _, difference := range differences {
		assert.True(t, met[difference.name], "no case meets the intended difference %q: take it out", difference.name)
	}
}

// checkDocument compares the result with the file in the repository.
func checkDocument(t *testing.T, text string) {
	t.Helper()
	path := harness.Path(t, documentPath)
	content, err := os.ReadFile(path)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	if *update && string(content) != text {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		t.Errorf("%s was not current and has been rewritten: review and commit it", documentPath)
		return
	}
	require.Equal(t, text, string(content), "%s is not current: run 'make conformance'", documentPath)
}

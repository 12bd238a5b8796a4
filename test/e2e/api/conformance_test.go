package api

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

var update = flag.Bool("update-conformance", false, "write docs/evidence/conformance.md, and fail if it was not current")

// themes returns all cases, by theme.
func themes() []theme {
	return []theme{
		listTheme(),
		chunkTheme(),
		getTheme(),
		watchTheme(),
		verbTheme(),
		representationTheme(),
		tableTheme(),
		discoveryTheme(),
		betaTheme(),
		socketTheme(),
		patchTheme(),
		applyTheme(),
		deleteTheme(),
		dryRunTheme(),
		inputTheme(),
		patchDetailTheme(),
		applyDetailTheme(),
		dryRunDetailTheme(),
		fieldDetailTheme(),
		deleteDetailTheme(),
		writeDetailTheme(),
		bodyDetailTheme(),
		reviewTheme(),
	}
}

// TestConformance runs all cases on this server and kube-apiserver. The kube-apiserver
// of the cases in v1beta3 takes another eight seconds.
func TestConformance(t *testing.T) {
	t.Parallel()
	pair, cases := startPair(t), 0
	t.Run("paths that are no resources", pair.walk)
	results := append(pair.besideEmulated(t).leadAll(t, olderPeer()), pair.leadAll(t, notLater())...)
	for _, theme := range themes() {
		cases += len(theme.cases)
	}
	cases -= len(olderPeer()) + len(notLater())
	if t.Failed() || len(results) < cases {
		t.Logf("%s is written and checked when all %d cases pass; %d did", documentPath, cases, len(results))
		return
	}
	if since("0.36") {
		checkDifferences(t, laterDifferencesHere(), results)
		return
	}
	checkDifferences(t, differences(), results)
	checkDocument(t, document(results))
}

// notLater returns the cases that a later release of kube-apiserver does not share.
func notLater() map[string]string {
	if !since("0.36") {
		return nil
	}
	return map[string]string{"self-reviews: in protobuf": "differences are recognized in JSON"}
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
	root, err := binaries.Root()
	require.NoError(t, err)
	path := filepath.Join(root, filepath.FromSlash(documentPath))
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

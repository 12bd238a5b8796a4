package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// apiCase is one question to one server.
type apiCase struct {
	t    *testing.T
	site *site
	// auditLog is the file that the server writes events to.
	auditLog string
}

// TestAPI runs what one server can be asked side by side; each case has names
// of its own.
func TestAPI(t *testing.T) {
	t.Parallel()
	for name, startStore := range stores() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			policy := filepath.Join(dir, "policy.yaml")
			require.NoError(t, os.WriteFile(policy, []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n- level: Metadata\n"), 0o600))
			auditLog := filepath.Join(dir, "audit.log")
			s := startSite(t, startStore(t), "--audit-policy-file="+policy, "--audit-log-path="+auditLog, "--audit-log-mode=blocking")

			for _, test := range []struct {
				name string
				run  func(apiCase)
			}{
				{"what is created in one version is read in the other", testVersions},
				{"use of the deprecated version is announced, audited and counted", testDeprecation},
				{"objects are stored as v1 protobuf at their keys", testStoredBytes},
				{"a list comes in chunks of one snapshot", testListInChunks},
				{"a list obeys resourceVersion and resourceVersionMatch", testListVersions},
				{"lists are selected by label and name", testListSelectors},
				{"a watch tells of each change once and in order", testWatchEvents},
				{"a watch begins with what there is, and says when that is told", testWatchInitialEvents},
				{"a selector turns a change into an end for its watcher", testWatchSelectors},
				{"a watch ends when its time is over, and an impossible start is refused", testWatchEnds},
				{"a watch speaks protobuf and WebSocket too", testWatchFramings},
				{"objects are patched in four ways", testPatches},
				{"bad patches are refused with a reason", testBadPatches},
				{"server-side apply names conflicting fields and owners", testApplyConflict},
				{"server-side apply shares, gives up and takes ownership", testApplyOwnership},
				{"server-side apply merges by the published list types", testApplyLists},
				{"client-side apply is upgraded to server-side apply and back", testApplyUpgrade},
				{"writes of the spec leave the status, and the reverse", testStatusSeparation},
				{"the generation counts changes of the spec", testGeneration},
				{"a finalizer delays the end of an object", testFinalizer},
				{"a collection is deleted by selector", testDeleteCollection},
				{"a deletion keeps its preconditions", testDeletePreconditions},
				{"an update must know the latest version, or none", testUpdateConflicts},
				{"names are generated, and taken ones refused", testNames},
				{"objects are shown as tables", testTables},
				{"objects are shown by their metadata alone", testPartialMetadata},
				{"bodies may be JSON, YAML or protobuf", testEncodings},
				{"types that are not spoken are refused", testMediaTypes},
				{"large answers are compressed", testCompression},
				{"unknown and repeated fields are ignored, warned of or refused", testFieldValidation},
				{"malformed bodies are refused with a Status", testMalformedBodies},
				{"objects in the wrong place are refused", testMisplacedObjects},
				{"discovery, versions and schemas are served", testDiscovery},
				{"kubectl does all it can do with a resource", testKubectl},
			} {
				t.Run(test.name, func(t *testing.T) {
					t.Parallel()
					test.run(apiCase{t: t, site: s, auditLog: auditLog})
				})
			}
		})
	}
}

//go:build long

package agreement_test

import (
	"testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestANewerKubeAPIServerDoesWhatIsExplained uses a release that costs lists by bytes.
func TestANewerKubeAPIServerDoesWhatIsExplained(t *testing.T) {
	testKubeAPIServer(t, harness.Program(t, binaries.NextKubeAPIServer))
}

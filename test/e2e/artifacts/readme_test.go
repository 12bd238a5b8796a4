package artifacts

import (
	"testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/tour"
)

// TestReadmeTour runs the tour, and what README.md shows of the plug-in.
func TestReadmeTour(t *testing.T) {
	clone := tour.StartAsInAClone(t)
	kubeconfig := "KUBECONFIG=.flowcontrol-apiserver/admin.kubeconfig"
	tour.Run(t, tour.Section{Document: "README.md", Heading: "## Why was I throttled?", Dir: clone, Env: []string{kubeconfig}}, *updateDocs)
	tour.Run(t, tour.Section{Document: "docs/tour.md", Heading: "## Tour of five minutes", Dir: clone}, *updateDocs)
}

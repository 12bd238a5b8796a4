package plugin

import (
	"testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/tour"
)

// TestPluginTour runs the tour of docs/kubectl-apf.md.
func TestPluginTour(t *testing.T) {
	tour.Run(t, tour.Section{Document: "docs/kubectl-apf.md", Heading: "## Tour", Dir: tour.StartAsInAClone(t)}, *updateDocs)
}

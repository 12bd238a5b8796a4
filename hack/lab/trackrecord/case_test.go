package trackrecord

import (
	"fmt"
	"testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// Case is one public report and its reproduction.
type Case struct {
	// Repository and Number name the report, Year is when it was filed.
	Repository   string
	Number, Year int
	// Pull reports that it is a pull request.
	Pull bool
	// Says is the report in one sentence, Does is what the case does, Measures is what it
	// measures, with what counts as harm.
	Says, Does, Measures string
	// PeerHarmed says that the harm is reproduced on the peer.
	PeerHarmed bool
	// Look is what an operator reads afterwards.
	Look Look
	// Setup configures a server, and Run returns what happened on it.
	Setup Setup
	Run   func(s *Site) Outcome
	// OnServers does the same to a real server, in the long lane: kube-apiserver 1.33 and this
	// project's. Not every case has it.
	OnServers func(t *testing.T, s *harness.APIServer) Outcome
	// Plant changes the setup to one that does the reported harm. A case whose peer is not
	// harmed has one: it proves that the case would see the harm.
	Plant func(*Setup)
}

// Outcome is what happened on one server.
type Outcome struct {
	// Measured is the figure for the table.
	Measured string
	// Harmed reports that what was reported happened.
	Harmed bool
}

// Look selects what an operator reads: the series of /metrics that contain all of a text's
// words, the last line of the log that contains a text, and an answer of kubectl apf why.
type Look struct {
	Metrics []string
	Log     string
	Why     Question
	// Notes says what to conclude, on this project's side.
	Notes string
}

// Question is for kubectl apf why: about the user and, if the server knows nothing of users,
// about the flow schema. The zero value asks nothing.
type Question struct{ User, FlowSchema string }

func (c Case) url() string {
	if c.Repository == ownNames {
		return "../threat-model.md#what-names-buy"
	}
	kind := "issues"
	if c.Pull {
		kind = "pull"
	}
	return fmt.Sprintf("https://github.com/%s/%s/%d", c.Repository, kind, c.Number)
}

const kubernetes = "kubernetes/kubernetes"

// name is how people write it: the number alone in kubernetes/kubernetes.
func (c Case) name() string {
	if c.Repository == kubernetes {
		return fmt.Sprint(c.Number)
	}
	return fmt.Sprintf("%s#%d", c.Repository, c.Number)
}

package trackrecord

import (
	"fmt"
)

// cases returns all cases, by number.
func cases() []Case {
	return []Case{
		case1040(), case10918(), case95212(), case107964(), case109603(), case121202(), case123206(),
		case129086(), case132233(), case134196(), case134580(), case138494(), case140884(), case141496(),
		caseNames1(), caseNames2(), caseNames3(), caseNames4(),
	}
}

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
	// Setup configures a server, and Run returns what happened on it.
	Setup Setup
	Run   func(s *Site) Outcome
	// Plant makes a setup that does the harm on both engines, of cases that do not harm the peer; otherwise nil.
	Plant func(s *Setup)
}

// Outcome is what happened on one server.
type Outcome struct {
	// Measured is the figure for the table.
	Measured string
	// Harmed reports that what was reported happened.
	Harmed bool
}

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

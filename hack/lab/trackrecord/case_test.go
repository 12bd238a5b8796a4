package trackrecord

import "fmt"

// cases returns all cases, the latest first.
func cases() []Case {
	return []Case{
		case141496(), case140884(), case138494(), case10918(), caseNames4(), caseNames3(), caseNames2(), caseNames1(),
		case134580(), case134196(), case132233(), case129086(), case123206(), case121202(), case109603(), case107964(),
		case95212(), case1040(),
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

// row is the row of the table up to the figures.
func (c Case) row() string {
	file := fmt.Sprintf("case%d_test.go", c.Number)
	if c.Repository == ownNames {
		file = "names_test.go"
	}
	return fmt.Sprintf("| [%s](%s) ([case](../../hack/lab/trackrecord/%s)) | %d | %s | ", c.name(), c.url(), file, c.Year, c.Says)
}

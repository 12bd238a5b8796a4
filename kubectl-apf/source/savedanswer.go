package source

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// savedAnswer is the saved response of an endpoint of some API server.
type savedAnswer struct {
	savedFile
	endpoint replica.Endpoint
	// earlier reports whether it is in a directory of previous logs.
	earlier bool
	// pod is NAMESPACE/NAME if the path names a pod.
	pod string
	// instance is the address of the server if the answer is a part of federated metrics.
	instance string
}

var podPattern = regexp.MustCompile(`(?:^|/)(?:namespaces/([^/]+)/)?pods/([^/]+)/`)

// newSavedAnswers returns the answers of a file: one, or of federated metrics one for each server.
func newSavedAnswers(file savedFile, endpoint replica.Endpoint) (answers []savedAnswer) {
	a := savedAnswer{savedFile: file, endpoint: endpoint, earlier: slices.Contains(strings.Split(file.inside, "/"), "previous")}
	if match := podPattern.FindStringSubmatch(file.inside); match != nil {
		a.pod = match[1] + "/" + match[2]
	}
	parts := map[string][]byte{"": file.data}
	if endpoint == replica.EndpointMetrics {
		if federated := replica.ByInstance(file.data); federated != nil {
			parts = federated
		}
	}
	for instance, data := range parts {
		a.data = data
		if len(parts) > 1 {
			a.instance = instance
		}
		answers = append(answers, a)
	}
	return answers
}

// place identifies the directory of a server: folders that are of the form of the saved
// answers are no part of it.
func (a *savedAnswer) place() string {
	switch {
	case a.instance != "":
		return "instance " + a.instance
	case a.pod != "":
		return "pod " + a.pod
	}
	var parts []string
	for part := range strings.SplitSeq(path.Dir(a.inside), "/") {
		if !slices.Contains([]string{".", "api_priority_and_fairness", "debug", "current", "previous"}, part) {
			parts = append(parts, part)
		}
	}
	return path.Join(parts...)
}

// directory is the name of the server for messages.
func (a *savedAnswer) directory() string {
	directory := filepath.Dir(a.path)
	if filepath.Base(directory) == "api_priority_and_fairness" {
		directory = strings.TrimSuffix(filepath.Dir(directory), string(filepath.Separator)+"debug")
	}
	return directory
}

func (a *savedAnswer) isLaterThan(other *savedAnswer) bool {
	if a.earlier != other.earlier {
		return other.earlier
	}
	return a.modified.After(other.modified)
}

// words returns the words of the name of the file, without its form.
func (a *savedAnswer) words() []string {
	name := strings.TrimSuffix(path.Base(a.inside), ".gz")
	return strings.FieldsFunc(strings.TrimSuffix(name, path.Ext(name)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

package api

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// documentPath is the path of the result, relative to the root of the repository.
const documentPath = "docs/evidence/conformance.md"

// result is the result of a case that passed.
type result struct {
	theme string
	testCase
	// excused lists the intended differences that the case showed.
	excused []string
}

// document returns docs/evidence/conformance.md: every sentence, its tests, and their
// results.
func document(results []result) string {
	var text strings.Builder
	fmt.Fprintf(&text, `# Conformance

What the API promises, sentence by sentence, and the tests of each promise. The
first tests named are cases of `+"`test/e2e/api`"+`: the same requests to this
server and to kube-apiserver %s, each with its own etcd in the same state. What names
`+"`v1beta3`"+` is compared with a kube-apiserver of that release that emulates 1.31
(`+"`--emulated-version=1.31`"+`), which serves that version.
Status, headers, bodies and stored objects must agree to the byte, except for UIDs and
times. The others are tests of this repository by folder and name. The cases run
with both versions, with the embedded etcd and an external etcd, and directly and
through kube-apiserver.

`+"`make conformance`"+` runs the comparison and writes this file; `+"`make test`"+`
includes it and fails when the file is not current.

%d sentences, %d cases.
`, binaries.KubernetesVersion, countSentences(), len(results))
	for _, section := range contract() {
		fmt.Fprintf(&text, "\n## %s\n\n| sentence | test | result |\n|---|---|---|\n", section.name)
		for _, sentence := range section.sentences {
			tests, outcome := proofs(sentence, results)
			fmt.Fprintf(&text, "| %s | %s | %s |\n", sentence.text, strings.Join(tests, "<br>"), outcome)
		}
	}
	text.WriteString("\n## Intended differences\n\nWhere kube-apiserver differs from the contract, or serves something else by design.\n\n| difference | reason |\n|---|---|\n")
	for _, difference := range append(differences(), initialEvents()) {
		fmt.Fprintf(&text, "| %s | %s |\n", difference.name, difference.reason)
	}
	text.WriteString("\n## Paths that are no resources\n\nEach path of either server's list at `/`, without the groups and checks that one of them has alone,\nas an administrator, as a user without rights and without credentials. These answer as kube-apiserver's,\nbut for:\n\n| requests | reason |\n|---|---|\n")
	for _, difference := range pathDifferences() {
		fmt.Fprintf(&text, "| %s | %s |\n", difference.of, difference.reason)
	}
	text.WriteString("\n## Behind kube-apiserver\n\nThe same cases run directly and through kube-apiserver, in both versions\n(`TestThroughKubeAPIServer`, in the long lane). The aggregator causes these\ndifferences:\n\n| difference | reason |\n|---|---|\n")
	for _, difference := range aggregatorDifferences() {
		fmt.Fprintf(&text, "| %s | %s |\n", difference.name, difference.reason)
	}
	left := notPassedOn()
	for _, name := range sortedKeys(left) {
		fmt.Fprintf(&text, "| the case %q | %s |\n", name, left[name])
	}
	text.WriteString(laterReleases())
	return text.String()
}

func countSentences() int {
	count := 0
	for _, section := range contract() {
		count += len(section.sentences)
	}
	return count
}

// proofs returns the tests of a sentence and their combined result.
func proofs(s sentence, results []result) (tests []string, outcome string) {
	compared, excused := false, map[string]bool{}
	for _, result := range results {
		if !slices.Contains(result.proves, s.id) {
			continue
		}
		tests = append(tests, result.theme+": "+result.name)
		compared = compared || result.alone == ""
		for _, name := range result.excused {
			excused[name] = true
		}
	}
	for _, test := range s.tests {
		tests = append(tests, "`"+test+"`")
	}
	switch {
	case len(excused) > 0:
		outcome = "as kube-apiserver, but for: " + strings.Join(sortedKeys(excused), ", ")
	case compared:
		outcome = "as kube-apiserver"
	default:
		outcome = "holds; no peer"
	}
	return tests, outcome
}

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

// document returns docs/evidence/conformance.md: every case and its result.
func document(results []result) string {
	var text strings.Builder
	fmt.Fprintf(&text, `# Conformance

%d cases, and hundreds of generated objects, valid and invalid ones: the same requests to this server and
to kube-apiserver %s, each with its own etcd in the same state. Status, headers, bodies and stored objects
must agree to the byte, except for UIDs and times. The cases also run in `+"`v1beta3`"+`, beside a
kube-apiserver that emulates 1.31 (`+"`--emulated-version=1.31`"+`), which serves that version.

The cases test what this server decides: names, defaults, validation, status, schemas, tables,
discovery, versions and self-reviews. Lists, watches, patches and dry runs come from k8s.io/apiserver
in both servers. `+"`test/parity`"+` compares decoding, defaulting, conversion, validation and stored bytes
of thousands of generated objects with k8s.io/kubernetes itself.

`+"`make conformance`"+` runs the comparison and writes this file; `+"`make test`"+` includes it and fails when
the file is not current.

| theme | as kube-apiserver | with intended differences |
|---|---|---|
`, len(results), binaries.KubernetesVersion)
	for _, row := range byTheme(results) {
		fmt.Fprintf(&text, "| %s | %s | %s |\n", row.theme, strings.Join(row.same, "; "), strings.Join(row.other, "; "))
	}
	text.WriteString("\n## Intended differences\n\nWhere kube-apiserver differs from the contract, or serves something else by design.\n\n| difference | reason |\n|---|---|\n")
	for _, difference := range differences() {
		fmt.Fprintf(&text, "| %s | %s |\n", difference.name, difference.reason)
	}
	text.WriteString("\nThe text of the condition `Dangling` is not compared: its type, status and reason are kube-apiserver's, and the\nmessage names the priority level in this server's words.\n")
	text.WriteString("\n## On later releases of Kubernetes\n\n`make conformance K8S=0.37` compares the server on k8s.io 0.37 with kube-apiserver 1.37; 0.36 is\nthe other release, and `make test-releases` runs both. In addition to the differences above:\n\n| since | difference | reason |\n|---|---|---|\n")
	for _, later := range laterDifferences() {
		fmt.Fprintf(&text, "| 1%s | %s | %s |\n", strings.TrimPrefix(later.since, "0"), later.name, later.reason)
	}
	return text.String()
}

// themeRow names the cases of a theme: the ones that are the same as on kube-apiserver, and the others.
type themeRow struct {
	theme       string
	same, other []string
}

// byTheme groups the results, in the order of their first cases.
func byTheme(results []result) (rows []*themeRow) {
	for _, r := range results {
		i := slices.IndexFunc(rows, func(row *themeRow) bool { return row.theme == r.theme })
		if i < 0 {
			i, rows = len(rows), append(rows, &themeRow{theme: r.theme})
		}
		switch row := rows[i]; {
		case r.alone != "":
			row.other = append(row.other, r.name+": holds; "+r.alone)
		case len(r.excused) > 0:
			row.other = append(row.other, r.name+" ("+strings.Join(r.excused, ", ")+")")
		default:
			row.same = append(row.same, r.name)
		}
	}
	return rows
}

package trackrecord

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// pagePath is the page, from the top of the repository.
const pagePath = "docs/evidence/track-record.md"

// entry is the row of a case on the page.
type entry struct {
	year, number int
	row          string
}

// entries are the cases of a page, by name.
type entries map[string]entry

// rows match the rows that text writes: name, number and year.
var rows = regexp.MustCompile(`(?m)^\| \[(\S*?(\d+))\]\(\S+\) \(\[case\]\(\S+\)\) \| (\d+) \|.*$`)

func parsePage(text string) entries {
	found := entries{}
	for _, m := range rows.FindAllStringSubmatch(text, -1) {
		number, _ := strconv.Atoi(m[2])
		year, _ := strconv.Atoi(m[3])
		found[m[1]] = entry{year: year, number: number, row: m[0]}
	}
	return found
}

// text returns the page.
func (e entries) text() string {
	names := slices.SortedFunc(maps.Keys(e), func(a, b string) int {
		return cmp.Or(cmp.Compare(e[b].year, e[a].year), cmp.Compare(e[b].number, e[a].number), cmp.Compare(a, b))
	})
	var table strings.Builder
	for _, name := range names {
		table.WriteString(e[name].row + "\n")
	}
	return fmt.Sprintf(pageHead, len(names)) + table.String() + pageEnd
}

const pageHead = `# Track record

Public reports of overload, unfairness and wrong flow control, each reproduced on the engine of
` + "`k8s.io/apiserver`" + ` 0.33, the peer, which kube-apiserver 1.33 uses. None of these %d cases harms this project. The cases
` + "`names`" + ` have no report, and the first three harm neither: see
[what one client can do with names](../threat-model.md#what-names-buy). Run them:

` + "```sh" + `
make track-record              # all
make track-record CASE=134196  # one
` + "```" + `

| report | year | what was reported | peer | this project |
|---|---|---|---|---|
`

const pageEnd = `
Clients, configuration and time are the same for both. Time is virtual, so the verdict does not
depend on the machine; figures vary a little from run to run. A case has the clients and what counts as harm,
which the report determines.
Reports that the peer has since mended have tests in ` + "`pkg/apf`" + `.

Known limits of this engine that have no case:

- A client that does not read its response keeps its seats until its request times out (kubernetes/kubernetes#115409).
- A list costs at most 100 seats (#138478), and a write one seat, whatever its size (#130482).
- #121198 was not tried.
`

func (r result) entry() entry {
	file := fmt.Sprintf("case%d_test.go", r.Number)
	if r.Repository == ownNames {
		file = "names_test.go"
	}
	return entry{year: r.Year, number: r.Number, row: fmt.Sprintf("| [%s](%s) ([case](../../hack/lab/trackrecord/%s)) | %d | %s | %s | %s |",
		r.name(), r.url(), file, r.Year, r.Says, r.peer.Measured, r.ours.Measured)}
}

// updatePage writes results into the page. Without fresh, other cases stay as they are.
func updatePage(t *testing.T, results []result, fresh bool) {
	t.Helper()
	page := entries{}
	if !fresh {
		page = parsePage(readPage(t))
	}
	for _, r := range results {
		page[r.name()] = r.entry()
	}
	require.NoError(t, os.WriteFile(harness.Path(t, pagePath), []byte(page.text()), 0o644))
}

func readPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(harness.Path(t, pagePath))
	require.NoError(t, err)
	return string(text)
}

func TestPageHasEveryCase(t *testing.T) {
	text := readPage(t)
	page := parsePage(text)
	assert.Equal(t, text, page.text(), "run make track-record")
	assert.Len(t, page, len(cases()), "run make track-record")
	for _, c := range cases() {
		assert.Contains(t, page[c.name()].row, c.Says, "run make track-record CASE=%d", c.Number)
	}
}

func TestOneCaseIsReplacedOnThePage(t *testing.T) {
	one := result{Case: Case{Repository: kubernetes, Number: 1, Year: 2020, Says: "One."}, peer: Outcome{Measured: "old"}}
	two := result{Case: Case{Repository: "etcd-io/etcd", Number: 2, Year: 2021, Says: "Two."}}
	before := entries{one.name(): one.entry(), two.name(): two.entry()}
	one.peer.Measured = "new"
	parsed := parsePage(before.text())
	parsed[one.name()] = one.entry()
	assert.Equal(t, strings.ReplaceAll(before.text(), "old", "new"), parsed.text())
	assert.Contains(t, parsed.text(), "None of these 2 cases")
	assert.Contains(t, parsed.text(), "| [etcd-io/etcd#2](https://github.com/etcd-io/etcd/issues/2) ([case](../../hack/lab/trackrecord/case2_test.go)) | 2021 | Two. |")
}

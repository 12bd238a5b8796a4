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

// entry is a case on the page: its row of the table, and its section.
type entry struct {
	year, number int
	row, section string
}

// entries are the cases of a page, by name.
type entries map[string]entry

// rows match the rows that text writes: name, number and year.
var rows = regexp.MustCompile(`(?m)^\| \[(\S*?(\d+))\]\(#\S+\) \| (\d+) \|.*$`)

func parsePage(text string) entries {
	sectionOf := map[string]string{}
	for _, section := range strings.Split(text, sectionStart)[1:] {
		name, _, _ := strings.Cut(section, "\n")
		sectionOf[name] = sectionStart + section
	}
	found := entries{}
	for _, m := range rows.FindAllStringSubmatch(text, -1) {
		number, _ := strconv.Atoi(m[2])
		year, _ := strconv.Atoi(m[3])
		found[m[1]] = entry{year: year, number: number, row: m[0], section: sectionOf[m[1]]}
	}
	return found
}

// text returns the page.
func (e entries) text() string {
	names := slices.SortedFunc(maps.Keys(e), func(a, b string) int {
		return cmp.Or(cmp.Compare(e[b].year, e[a].year), cmp.Compare(e[b].number, e[a].number), cmp.Compare(a, b))
	})
	var table, below strings.Builder
	reproduced := 0
	for _, name := range names {
		one := e[name]
		table.WriteString(one.row + "\n")
		below.WriteString(one.section)
		if strings.Contains(one.row, string(reproducedOnPeer)) {
			reproduced++
		}
	}
	return fmt.Sprintf(pageHead, len(names), reproduced) + table.String() + pageMiddle + below.String()
}

const pageHead = `# Track record

Public reports of overload, unfairness and wrong flow control, each reproduced on two
engines. %d reports; %d are reproduced on the peer; none harms this project. Run them:

` + "```sh" + `
make track-record              # all
make track-record CASE=134196  # one
` + "```" + `

| report | year | what was reported | peer | this project | verdict |
|---|---|---|---|---|---|
`

const pageMiddle = `
The peer is the engine and the filter of ` + "`k8s.io/apiserver`" + ` 0.33, which kube-apiserver 1.33 uses, unless a
case names another. Clients, configuration and time are the same for both. Time is virtual, so a case is
repeatable. The report determines what counts as harm. Some cases are repeated on real servers.

` + "`make track-record CASE=N`" + ` also prints what an operator sees on each engine: metrics, the log line and ` + "`kubectl apf why`" + `.
The cases ` + "`names`" + ` have no report: see [what one client can do with names](../threat-model.md#what-names-buy).

Known limits of this engine that have no case:

- A client that does not read its response keeps its seats until its request times out (kubernetes/kubernetes#115409).
- A list costs at most 100 seats (#138478), and a write one seat, whatever its size (#130482).
- #121198 was not tried.
`

// verdict is the last column of the table.
type verdict string

const (
	reproducedOnPeer verdict = "reproduced on the peer, not here"
	heldByBoth       verdict = "neither is harmed"
	lost             verdict = "**lost**"
)

func (r result) verdict() verdict {
	switch {
	case r.ours.Harmed:
		return lost
	case r.peer.Harmed:
		return reproducedOnPeer
	default:
		return heldByBoth
	}
}

func (r result) entry() entry {
	return entry{year: r.Year, number: r.Number, row: fmt.Sprintf("| [%s](#case-%s) | %d | %s | %s | %s | %s |",
		r.name(), r.anchor(), r.Year, r.Says, r.peer.Measured, r.ours.Measured, r.verdict()), section: r.section()}
}

// anchor is the name in the link of the section, as GitHub makes it from the heading.
func (r result) anchor() string {
	return regexp.MustCompile(`[^a-z0-9-]`).ReplaceAllString(strings.ToLower(r.name()), "")
}

const sectionStart = "\n## Case "

func (r result) section() string {
	return sectionStart + fmt.Sprintf("%s\n\n[Report](%s). %s\n**Measured**: %s\n%s", r.name(), r.url(), r.Does, r.Measures, r.onServers()+r.notes())
}

// onServers is the line of the real servers.
func (r result) onServers() string {
	if len(r.servers) == 0 {
		return ""
	}
	return fmt.Sprintf("**On kube-apiserver 1.33**: %s. **On this server**: %s.\n", r.servers[0].Measured, r.servers[1].Measured)
}

func (r result) notes() string {
	if r.Look.Notes == "" {
		return ""
	}
	return r.Look.Notes + "\n"
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
	if os.IsNotExist(err) {
		return ""
	}
	require.NoError(t, err)
	return string(text)
}

func TestPageHasEveryCaseWithItsVerdict(t *testing.T) {
	text := readPage(t)
	page := parsePage(text)
	assert.Equal(t, text, page.text(), "run make track-record")
	for _, c := range cases() {
		expected := result{Case: c, peer: Outcome{Harmed: c.PeerHarmed}}
		row := page[c.name()].row
		assert.Contains(t, row, c.Says, "run make track-record CASE=%d", c.Number)
		assert.Contains(t, row, string(expected.verdict()), "run make track-record CASE=%d", c.Number)
	}
}

func TestOneCaseIsReplacedOnThePage(t *testing.T) {
	one := result{Case: Case{Repository: kubernetes, Number: 1, Year: 2020, Says: "One."}, peer: Outcome{Measured: "old", Harmed: true}}
	two := result{Case: Case{Repository: "etcd-io/etcd", Number: 2, Year: 2021, Says: "Two."}}
	before := entries{one.name(): one.entry(), two.name(): two.entry()}
	one.peer.Measured = "new"
	parsed := parsePage(before.text())
	parsed[one.name()] = one.entry()
	assert.Equal(t, strings.ReplaceAll(before.text(), "old", "new"), parsed.text())
	assert.Contains(t, parsed.text(), "2 reports; 1 are reproduced")
	assert.Contains(t, parsed.text(), "| [etcd-io/etcd#2](#case-etcd-ioetcd2) | 2021 | Two. |")
}

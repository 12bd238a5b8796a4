package explain

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

var updateDocs = flag.Bool("update-docs", false, "write the tables into docs/seats.md")

const seatsDocument = "../../docs/seats.md"

func TestSeatsDocumentShowsWhatExplainComputes(t *testing.T) {
	page, err := os.ReadFile(seatsDocument)
	require.NoError(t, err)
	written := section(t, string(page), "levels", levelsTable())
	written = section(t, written, "examples", examplesTable(t))
	if *updateDocs {
		require.NoError(t, os.WriteFile(seatsDocument, []byte(written), 0o644))
		return
	}
	assert.Equal(t, string(page), written, "docs/seats.md is not current: run 'make update-docs'")
}

// section replaces the text between two comments.
func section(t *testing.T, page, name, text string) string {
	t.Helper()
	begin, end := fmt.Sprintf("<!-- %s: made by make update-docs -->\n", name), fmt.Sprintf("<!-- end of %s -->\n", name)
	before, rest, found := strings.Cut(page, begin)
	require.True(t, found)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found)
	return before + begin + text + end + after
}

func levelsTable() string {
	var out strings.Builder
	out.WriteString("| priority level | nominal | lower | upper | bound | most, a list by objects | most, a list by bytes |\n|---|---:|---:|---:|---:|---:|---:|\n")
	e := New(input())
	for _, level := range e.inForce.Report().Levels {
		bound := level.MaxWidth
		most := func(e estimate.Formula) int {
			read := estimate.Read{Continue: "x"}
			return e.Read(read, estimate.Stored{Objects: 1_000_000, Size: 10_000}, bound).Work.Initial
		}
		shown := fmt.Sprint(bound)
		if bound == 0 {
			shown = "none"
		}
		upper := fmt.Sprint(level.Limits.Upper)
		if level.Config.Name == "exempt" {
			upper = "none"
		}
		fmt.Fprintf(&out, "| %s | %d | %d | %s | %s | %d | %d |\n", level.Config.Name, level.Limits.Nominal, level.Limits.Lower, upper, shown,
			most(estimate.ForKubernetes(33)), most(estimate.ForKubernetes(34)))
	}
	return out.String()
}

func examplesTable(t *testing.T) string {
	t.Helper()
	columns := []struct {
		name    string
		release configuration.Release
		own     bool
	}{{"1.30", "1.30", false}, {"1.33", "1.33", false}, {"1.34", "1.34", false}, {"1.35 and later", "1.36", false}, {"flowcontrol-apiserver, not measured yet", "1.33", true}}
	var out strings.Builder
	out.WriteString("| request |")
	for _, column := range columns {
		fmt.Fprintf(&out, " %s |", column.name)
	}
	out.WriteString("\n|---|" + strings.Repeat("---:|", len(columns)) + "\n")
	for _, example := range []struct{ line, what string }{
		{"get secrets a -n x", ""},
		{"list secrets -A", ""},
		{"list secrets -A --limit=500", "the first page of `kubectl get`"},
		{"list secrets -A --limit=500 --continue=TOKEN", "a further page"},
		{"list secrets -n x --limit=500", "one namespace"},
		{"list secrets -A --limit=100", ""},
		{"list configmaps -A", ""},
		{"list configmaps -A --limit=100", ""},
		{"list secrets -A --resource-version=0", "an informer starts"},
		{"list secrets -A -l app=web", ""},
		{"list secrets -A -l app=web --limit=500 --continue=TOKEN", ""},
		{"list secrets -A --resource-version=N --resource-version-match=Exact", ""},
		{"list secrets a -n x", "by name"},
		{"watch secrets -A --resource-version=N", "an informer continues"},
		{"watch secrets -A", ""},
		{"watch secrets -A --resource-version=0 --send-initial-events", "an informer starts, without a list"},
		{"list pods.metrics.k8s.io -A", "`kubectl top pods`"},
		{"update secrets a -n x", "5 watchers"},
		{"patch pods/status web -n x", "1,200 watchers"},
		{"create serviceaccounts/token builder -n x", ""},
		{"deletecollection secrets -n x", ""},
	} {
		what := "`" + example.line + "`"
		if example.what != "" {
			what += ": " + example.what
		}
		fmt.Fprintf(&out, "| %s |", what)
		for _, column := range columns {
			in := input()
			in.Configuration.Release, in.Configuration.Own = column.release, column.own
			in.Facts[schema.GroupResource{Resource: "pods"}] = replica.Fact{Objects: 450, Bytes: 4_500_000, Watchers: 1_200}
			in.Facts[schema.GroupResource{Resource: "configmaps"}] = replica.Fact{Objects: 300, Bytes: 300_000}
			seats := explained(t, in, example.line+" --as=system:serviceaccount:x:builder").Seats
			fmt.Fprintf(&out, " %s |", strings.TrimSuffix(seats.text(), " after the response"))
		}
		out.WriteString("\n")
	}
	return out.String()
}

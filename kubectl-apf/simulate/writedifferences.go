package simulate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// change says what differs from the baseline.
func (r *Report) change(of *Result, kind DifferenceKind, name string) string {
	var texts []string
	for i := range r.Differences {
		if d := &r.Differences[i]; d.Configuration == of.Name && of != &r.Results[0] && d.Kind == kind && d.Name == name {
			texts = append(texts, d.short())
		}
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

// short returns a difference in two words.
func (d *Difference) short() string {
	mark := "worse"
	if d.Gains {
		mark = "better"
	}
	return strings.TrimPrefix(d.Metric, "wait.") + " " + mark
}

func (r *Report) differenceTable() table.Table { return DifferenceTable(r.Differences) }

// DifferenceTable returns differences for people.
func DifferenceTable(differences []Difference) table.Table {
	t := table.Table{Columns: slices.Concat(
		[]table.Column{{Name: "CONFIGURATION"}, {Name: "OF"}, {Name: "NAME"}, {Name: "METRIC"}},
		numbers("BEFORE", "AFTER"), []table.Column{{Name: "CHANGE"}, {Name: "FLOW SCHEMA", Optional: 1}})}
	for i := range differences {
		d := &differences[i]
		before, after, mark, moved := d.text(d.Before), d.text(d.After), "worse", ""
		if d.Gains {
			mark = "better"
		}
		if d.From != "" {
			moved = d.From + " -> " + d.To
		}
		t.Rows = append(t.Rows, []string{d.Configuration, string(d.Kind), d.Name, d.Metric, before, after, mark, moved})
	}
	return t
}

func (d *Difference) text(value float64) string {
	if d.Metric == "rejected" {
		return fmt.Sprintf("%.1f%%", 100*value)
	}
	return seconds(value)
}

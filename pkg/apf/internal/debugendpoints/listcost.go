package debugendpoints

import "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"

type listCostRow struct {
	APIGroup string `json:"apiGroup"`
	Resource string `json:"resource"`
	// Source is cache or etcd, Scope all or namespace, Encoding object (by object) or
	// whole.
	Source   string `json:"source"`
	Scope    string `json:"scope"`
	Selector string `json:"selector"`
	Limit    string `json:"limit"`
	Encoding string `json:"encoding"`
	// Seats is the cost on a level without a bound.
	Seats int `json:"seats"`
	// Bytes are what a list is expected to have in memory at one time, FormulaBytes what the
	// formula says of the last one.
	Bytes        int64 `json:"bytes"`
	FormulaBytes int64 `json:"formulaBytes"`
	// Lists is the number of lists seen, MeanSeconds the mean duration of the last ones.
	Lists       uint64  `json:"lists"`
	MeanSeconds float64 `json:"meanSeconds"`
	// Floor reports whether a list costs at least the formula: too few were seen lately.
	Floor bool `json:"floor"`
}

func listCostRows(learnt []estimate.LearnedRow) []listCostRow {
	var rows []listCostRow
	for _, l := range learnt {
		rows = append(rows, listCostRow{
			APIGroup: l.Group, Resource: l.Resource,
			Source:   choose(l.Kind.FromStorage, "etcd", "cache"),
			Scope:    choose(l.Kind.Namespaced, "namespace", "all"),
			Selector: l.Kind.Selector.String(),
			Limit:    l.Limits.String(),
			Encoding: choose(l.Kind.Whole, "whole", "object"),
			Seats:    estimate.BySize().OfBytes(l.Bytes, 0).Initial,
			Bytes:    l.Bytes, FormulaBytes: l.Prior,
			Lists: l.Lists, MeanSeconds: l.Took.Seconds(), Floor: l.Floor,
		})
	}
	return rows
}

func choose(first bool, one, other string) string {
	if first {
		return one
	}
	return other
}

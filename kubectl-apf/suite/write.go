package suite

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// Message returns what is wrong with the case; "" if it passed.
func (c *CaseResult) Message() string {
	switch {
	case c.Error != "":
		return fmt.Sprintf("case %q: invalid request: %s", c.Name, c.Error)
	case c.Passed:
		return ""
	default:
		return fmt.Sprintf("case %q: %s", c.Name, strings.Join(c.Failures, "; "))
	}
}

// WriteTable writes the result for people.
func (r *Result) WriteTable(w io.Writer, options table.Options) error {
	t := table.Table{Columns: []table.Column{
		{Name: "RESULT"},
		{Name: "CASE"},
		{Name: "FLOW SCHEMA"},
		{Name: "LEVEL", Optional: 1},
		{Name: "FLOW", Optional: 2},
		{Name: "SEATS", Number: true, Optional: 3},
	}}
	for i := range r.Cases {
		c := &r.Cases[i]
		row := []string{"pass", c.Name, "-", "-", "-", "-"}
		if !c.Passed {
			row[0] = "FAIL"
		}
		if g := c.Got; g != nil {
			row = append(row[:2], g.FlowSchema, g.PriorityLevel, g.Flow, strconv.Itoa(g.Seats))
		}
		t.Rows = append(t.Rows, row)
	}
	if err := t.Write(w, options); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for i := range r.Cases {
		if message := r.Cases[i].Message(); message != "" {
			fmt.Fprintln(w, table.Escape(message))
		}
	}
	fmt.Fprintf(w, "%d passed, %d failed\n", r.Passed, r.Failed)
	return table.WriteNotes(w, "", r.Notes)
}

// The elements of JUnit XML.
type (
	testSuites struct {
		XMLName xml.Name    `xml:"testsuites"`
		Suites  []testSuite `xml:"testsuite"`
	}
	testSuite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Cases    []testCase `xml:"testcase"`
	}
	testCase struct {
		ClassName string   `xml:"classname,attr"`
		Name      string   `xml:"name,attr"`
		Failure   *problem `xml:"failure"`
		Error     *problem `xml:"error"`
	}
	problem struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the results of suites as JUnit XML.
func WriteJUnit(w io.Writer, results ...Result) error {
	var document testSuites
	for _, r := range results {
		one := testSuite{Name: r.Suite, Tests: len(r.Cases)}
		for i := range r.Cases {
			c := &r.Cases[i]
			written := testCase{ClassName: r.Suite, Name: c.Name}
			switch {
			case c.Error != "":
				one.Errors++
				written.Error = &problem{Message: c.Message(), Text: c.Error}
			case !c.Passed:
				one.Failures++
				written.Failure = &problem{Message: c.Message(), Text: strings.Join(c.Failures, "\n")}
			}
			one.Cases = append(one.Cases, written)
		}
		document.Suites = append(document.Suites, one)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(document); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

package size

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// WriteTable writes the answer for people.
func (s *Size) WriteTable(w io.Writer, options table.Options) error {
	fmt.Fprintf(w, "One API server needs %s seats (%s).%s\n", s.Need, s.among(), s.verdict())
	fmt.Fprintf(w, "Without lending and borrowing, and with shares that follow the needs of the levels, it needs %s.\n", s.Fitted)
	fmt.Fprintf(w, "By simulation of %s: %d requests in %.0f s.%s\n", table.Escape(s.Basis), s.Requests, s.Seconds, s.leftOut())
	fmt.Fprintf(w, "Goals, for each priority level: %s\n\nPRIORITY LEVELS\n", table.Escape(strings.Join(s.Goals, ", ")))
	if err := s.levelTable().Write(w, options); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nFLAGS\nkube-apiserver:         %s\nflowcontrol-apiserver:  %s\n", strings.Join(s.Flags.KubeAPIServer, " "), strings.Join(s.Flags.FlowControlAPIServer, " "))
	if len(s.Tiers) > 0 {
		fmt.Fprintln(w, "\nTIERS")
		if err := s.tierTable().Write(w, options); err != nil {
			return err
		}
	}
	return table.WriteNotes(w, "\n", s.Notes)
}

// String returns the number and its range.
func (s Seats) String() string {
	if s.Low == s.High {
		return strconv.Itoa(s.Seats)
	}
	return fmt.Sprintf("%d (%d to %d)", s.Seats, s.Low, s.High)
}

// between returns the range of seats.
func (s *Size) between(seats Seats) string {
	if s.Parts == 0 {
		return "-"
	}
	return fmt.Sprintf("%d-%d", seats.Low, seats.High)
}

func (s *Size) among() string {
	if s.Replicas == 1 {
		return "there is one"
	}
	return fmt.Sprintf("there are %d", s.Replicas)
}

func (s *Size) verdict() string {
	if s.Have == nil {
		return ""
	}
	return fmt.Sprintf(" It has %d. Is that enough? %s.", *s.Have, map[Enough]string{
		Yes: "Yes", No: "No", Uncertain: "Uncertain: that is within the range",
	}[s.Enough])
}

func (s *Size) leftOut() string {
	if s.LeftOut == 0 {
		return ""
	}
	return fmt.Sprintf(" %d more are left out, and need seats that are not in these numbers.", s.LeftOut)
}

func (s *Size) levelTable() table.Table {
	t := table.Table{Columns: []table.Column{
		{Name: "LEVEL"}, {Name: "REQUESTS/S", Number: true}, {Name: "MEAN", Number: true}, {Name: "MOST", Number: true},
		{Name: "NEEDS", Number: true}, {Name: "RANGE", Number: true}, {Name: "HAS", Number: true}, {Name: "SHARES", Number: true, Optional: 1},
	}}
	for i := range s.Levels {
		l := &s.Levels[i]
		needs, between, shares := "-", "-", strconv.Itoa(int(l.Shares))
		switch {
		case l.Exempt:
			needs, shares = "exempt", "-"
		case l.Need != nil:
			needs, between = strconv.Itoa(l.Need.Seats), s.between(*l.Need)
		}
		t.Rows = append(t.Rows, []string{
			l.Name, oneDigit(l.PerSecond), oneDigit(l.Mean), strconv.Itoa(int(l.Most)), needs, between, orDash(l.Have), shares,
		})
	}
	return t
}

func (s *Size) tierTable() table.Table {
	t := table.Table{Columns: []table.Column{
		{Name: "TIER"}, {Name: "SEATS", Number: true}, {Name: "NEEDED", Number: true}, {Name: "RANGE", Number: true}, {Name: "OF"}, {Name: "ENOUGH"}, {Name: "SOURCE", Wide: true},
	}}
	for i := range s.Tiers {
		f := &s.Tiers[i]
		of := "all API servers"
		if f.PerServer {
			of = "one API server"
		}
		t.Rows = append(t.Rows, []string{
			f.Name, strconv.Itoa(f.Seats), strconv.Itoa(f.Need.Seats), s.between(f.Need), of, string(f.Enough), f.Source,
		})
	}
	return t
}

func oneDigit(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

func orDash(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}

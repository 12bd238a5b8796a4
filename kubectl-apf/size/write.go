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
	if s.Flags == nil {
		fmt.Fprintln(w, "\nFLAGS\nNone: so few requests, or seats, say nothing about a busy time.")
		return table.WriteNotes(w, "\n", s.Notes)
	}
	fmt.Fprintf(w, "\nFLAGS\nkube-apiserver:         %s\nflowcontrol-apiserver:  %s\n", strings.Join(s.Flags.KubeAPIServer, " "), strings.Join(s.Flags.FlowControlAPIServer, " "))
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
		return table.Dash
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
	assumed := ""
	if s.Assumed {
		assumed = ", as without flags (--total names another number)"
	}
	return fmt.Sprintf(" It has %d%s. Is that enough? %s.", *s.Have, assumed, map[Enough]string{
		Yes: "Yes", No: "No", Uncertain: s.uncertain(),
	}[s.Enough])
}

func (s *Size) uncertain() string {
	if s.Rejected > 0 && *s.Have >= s.Need.High {
		return fmt.Sprintf("Uncertain: when the requests were recorded, %d were rejected. The API server had another configuration or fewer seats, or the trace lacks what held them", s.Rejected)
	}
	return "Uncertain: that is within the range"
}

func (s *Size) leftOut() string {
	if s.LeftOut == 0 {
		return ""
	}
	return fmt.Sprintf(" %d more are left out, and need seats that are not in these numbers.", s.LeftOut)
}

func (s *Size) levelTable() table.Table {
	t := table.New("LEVEL", "REQUESTS/S>", "MEAN>", "MOST>", "NEEDS>", "RANGE>", "HAS>", "SHARES>")
	for i := range s.Levels {
		l := &s.Levels[i]
		needs, between, shares := table.Dash, table.Dash, strconv.Itoa(int(l.Shares))
		switch {
		case l.Exempt:
			needs, shares = "exempt", table.Dash
		case l.Need != nil:
			needs, between = strconv.Itoa(l.Need.Seats), s.between(*l.Need)
		}
		t.Rows = append(t.Rows, []string{
			l.Name, table.Tenths(l.PerSecond), table.Tenths(&l.Mean), strconv.Itoa(int(l.Most)), needs, between, table.Known(l.Have), shares,
		})
	}
	return t
}

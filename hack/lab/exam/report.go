package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// report is the result of an exam.
type report struct {
	Server string `json:"server"`
	// Rate is how many requests were sent within any second at most.
	Rate    int      `json:"requestsPerSecond"`
	Answers []answer `json:"answers"`
	// QuietP50 and QuietP99 are the mice's latencies in seconds when nobody else asks.
	QuietP50 float64 `json:"quietP50Seconds"`
	QuietP99 float64 `json:"quietP99Seconds"`
	Stopped  string  `json:"stopped,omitempty"`
}

func reportOf(server string, p plan, t taken) report {
	opening, _ := t.of(quiet)
	alone := opening.samples.Of(mice)
	r := report{
		Server: server, Rate: p.rate, Answers: t.judge(p),
		QuietP50: alone.Quantile(0.5).Seconds(), QuietP99: alone.Quantile(0.99).Seconds(),
	}
	if t.stopped != nil {
		r.Stopped = t.stopped.Error()
	}
	return r
}

// table returns the marks as Markdown.
func (r report) table() string {
	var text strings.Builder
	header := measurement.Row{"question", "mark", "measured"}
	text.WriteString(header.String() + "|---|---|---|\n")
	for _, a := range r.Answers {
		text.WriteString(measurement.Row{a.Question, string(a.Mark), a.Measured}.String())
	}
	fmt.Fprintf(&text, "\n%s, at most %d requests a second: %s.\n", r.Server, r.Rate, r.count())
	if r.Stopped != "" {
		fmt.Fprintf(&text, "Stopped early: %s.\n", r.Stopped)
	}
	return text.String()
}

// compared returns the marks of several servers as Markdown, each with the first of the figures behind it.
func compared(reports []report) string {
	var text strings.Builder
	header, last := measurement.Row{"question"}, measurement.Row{"all"}
	for _, r := range reports {
		header, last = append(header, r.Server), append(last, r.count())
	}
	text.WriteString(header.String() + strings.Repeat("|---", len(header)) + "|\n")
	for i, question := range reports[0].Answers {
		row := measurement.Row{question.Question}
		for _, r := range reports {
			figure, _, _ := strings.Cut(r.Answers[i].Measured, ";")
			row = append(row, fmt.Sprintf("**%s**, %s", r.Answers[i].Mark, figure))
		}
		text.WriteString(row.String())
	}
	text.WriteString(last.String())
	return text.String()
}

// marks returns the marks by question.
func (r report) marks() map[string]mark {
	marks := map[string]mark{}
	for _, a := range r.Answers {
		marks[a.Question] = a.Mark
	}
	return marks
}

// count says how many questions have each mark.
func (r report) count() string {
	var parts []string
	for _, m := range []mark{good, weak, failed, notLoaded, notOffered, stopped} {
		count := 0
		for _, a := range r.Answers {
			if a.Mark == m {
				count++
			}
		}
		if count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count, m))
		}
	}
	return strings.Join(parts, ", ")
}

// passed reports whether some question was good or weak, none failed, and the exam did not stop early.
func (r report) passed() bool {
	known := false
	for _, a := range r.Answers {
		switch a.Mark {
		case failed, stopped:
			return false
		case good, weak:
			known = true
		case notLoaded, notOffered:
		}
	}
	return known && r.Stopped == ""
}

func (r report) writeJSON(path string) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(content, '\n'), 0o644)
}

// draw writes the mice's p99 in each question as an SVG file.
func (r report) draw(path string) error {
	picture := measurement.Picture{
		Title: "Time within which 99% of the requests of small clients are answered",
		Captions: []string{
			fmt.Sprintf("%d small clients, at most %d requests a second in all, %s.", mouseCount, r.Rate, r.Server),
			"Marks: " + r.count() + ".",
		},
		Groups: []measurement.Group{{Title: "alone", Bars: []measurement.Bar{bar("", good, r.QuietP99)}}},
	}
	for _, a := range r.Answers {
		if a.P99 != nil {
			picture.Groups = append(picture.Groups, measurement.Group{Title: a.Question, Bars: []measurement.Bar{bar(string(a.Mark), a.Mark, *a.P99)}})
		}
	}
	return os.WriteFile(path, picture.SVG(), 0o644)
}

func bar(label string, m mark, seconds float64) measurement.Bar {
	class := map[mark]string{good: measurement.Green, failed: measurement.Red}[m]
	if class == "" {
		class = measurement.Grey
	}
	took := time.Duration(seconds * float64(time.Second))
	return measurement.Bar{Label: label, Class: class, Length: seconds, Text: fmt.Sprint(short(took))}
}

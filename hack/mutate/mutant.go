package main

import (
	"bytes"
	"fmt"
	"strings"
)

// mutant is one fault: a replacement of the bytes of a file from start to end.
type mutant struct {
	pkg         *listed
	file        string // relative to the top of the repository
	source      []byte // of the file
	line        int    // counted from 1
	kind        string // of fault
	function    string // that contains the fault
	start, end  int
	replacement string
}

func (m *mutant) place() string {
	return fmt.Sprintf("%s:%d (%s)", m.file, m.line, m.function)
}

// id identifies the fault in the state of a run. It changes with the line's
// text.
func (m *mutant) id() string {
	before, after := m.lines()
	return fmt.Sprintf("%s:%d: %s => %s", m.file, m.line, strings.Join(before, " "), strings.Join(after, " "))
}

// mutated returns the file's content with the fault.
func (m *mutant) mutated() []byte {
	return []byte(string(m.source[:m.start]) + m.replacement + string(m.source[m.end:]))
}

// lines returns the lines that differ, without and with the fault.
func (m *mutant) lines() (before, after []string) {
	from := bytes.LastIndexByte(m.source[:m.start], '\n') + 1
	to := len(m.source)
	if next := bytes.IndexByte(m.source[m.end:], '\n'); next >= 0 {
		to = m.end + next
	}
	changed := string(m.source[from:m.start]) + m.replacement + string(m.source[m.end:to])
	return trimmed(string(m.source[from:to])), trimmed(changed)
}

func trimmed(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// short returns the difference in one line.
func (m *mutant) short() string {
	before, after := m.lines()
	if len(after) == 0 {
		return "without " + strings.Join(before, " ")
	}
	return strings.Join(before, " ") + "  =>  " + strings.Join(after, " ")
}

// diff returns the fault with surrounding lines.
func (m *mutant) diff(around int) string {
	first := strings.Count(string(m.source[:m.start]), "\n")
	last := first + strings.Count(string(m.source[m.start:m.end]), "\n")
	old := strings.Split(string(m.source), "\n")
	renewed := strings.Split(string(m.mutated()), "\n")
	var text strings.Builder
	write := func(prefix string, lines []string) {
		for _, line := range lines {
			text.WriteString(prefix + line + "\n")
		}
	}
	write("  ", old[max(0, first-around):first])
	write("- ", old[first:last+1])
	write("+ ", renewed[first:len(renewed)-(len(old)-last-1)])
	write("  ", old[last+1:min(len(old), last+1+around)])
	return text.String()
}

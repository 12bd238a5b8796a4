package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// proof is a test that proves a sentence.
type proof struct {
	test test
	long bool // only the long lane runs it
}

// sentence is one statement and the tests that prove it.
type sentence struct {
	line   int
	text   string
	proofs []proof
}

// proofPattern matches one test in a cell: `folder Function/case`, preceded by
// "long: " if only the long lane runs it.
var proofPattern = regexp.MustCompile("^(long: )?`(\\S+) ([^`]+)`$")

// parseTable reads the rows of every table whose columns are sentence and test.
func parseTable(r io.Reader) ([]sentence, error) {
	var sentences []sentence
	inside, line := false, 0
	seen := map[string]int{}
	scanner := bufio.NewScanner(r)
	for scanner.Scan() {
		line++
		text := strings.TrimSpace(scanner.Text())
		switch {
		case !strings.HasPrefix(text, "|"):
			inside = false
		case text == "| sentence | test |":
			inside = true
		case inside && !strings.HasPrefix(text, "|---"):
			s, err := parseRow(text)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
			if first, twice := seen[s.text]; twice {
				return nil, fmt.Errorf("line %d: the sentence of line %d stands twice: %s", line, first, s.text)
			}
			s.line, seen[s.text] = line, line
			sentences = append(sentences, s)
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, err
	}
	if len(sentences) == 0 {
		return nil, fmt.Errorf("there is no table with the heads %q", "| sentence | test |")
	}
	return sentences, nil
}

func parseRow(row string) (sentence, error) {
	cells := strings.Split(strings.Trim(row, "|"), " | ")
	if len(cells) != 2 {
		return sentence{}, fmt.Errorf("%d cells, want two, a sentence and its tests: %s", len(cells), row)
	}
	s := sentence{text: strings.TrimSpace(cells[0])}
	for cell := range strings.SplitSeq(strings.TrimSpace(cells[1]), "<br>") {
		match := proofPattern.FindStringSubmatch(strings.TrimSpace(cell))
		if match == nil {
			return sentence{}, fmt.Errorf("no test holds %q: %q is not `folder TestName/case`", s.text, cell)
		}
		s.proofs = append(s.proofs, proof{test: test{folder: match[2], name: match[3]}, long: match[1] != ""})
	}
	return s, nil
}

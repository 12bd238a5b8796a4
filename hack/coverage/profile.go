package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"path"
	"strings"
)

const modulePath = "github.com/flowcontrol-apiserver/flowcontrol-apiserver/"

// block is a run of statements without a branch.
type block struct{ file, place string }

// profile is the set of the product's statements and of those that have run.
type profile struct {
	statements map[block]int
	covered    map[block]bool
}

func newProfile() *profile {
	return &profile{statements: map[block]int{}, covered: map[block]bool{}}
}

// read adds the output of `go tool covdata textfmt`. It has a line for each
// block, such as file.go:1.2,3.4 5 1: 5 statements, which have run.
func (p *profile) read(r io.Reader) error {
	scanner := bufio.NewScanner(r)
	for scanner.Scan() {
		line := scanner.Text()
		if strings.HasPrefix(line, "mode: ") {
			continue
		}
		var b block
		var statements, count int
		place, numbers, _ := strings.Cut(line, " ")
		b.file, b.place, _ = strings.Cut(strings.TrimPrefix(place, modulePath), ":")
		if _, err := fmt.Sscanf(numbers, "%d %d", &statements, &count); err != nil {
			return fmt.Errorf("%q is no line of a coverage profile: %w", line, err)
		}
		if !isByHand(b.file) {
			continue
		}
		p.statements[b] = statements
		p.covered[b] = p.covered[b] || count > 0
	}
	return scanner.Err()
}

// isByHand reports whether a file is not generated.
func isByHand(file string) bool {
	return !strings.HasPrefix(file, "pkg/generated/") && !strings.HasPrefix(path.Base(file), "zz_generated")
}

// add merges other into p: its statements and those that have run.
func (p *profile) add(other *profile) {
	for b, statements := range other.statements {
		p.statements[b] = statements
		p.covered[b] = p.covered[b] || other.covered[b]
	}
}

// know adds the statements of other, but not whether they have run.
func (p *profile) know(other *profile) {
	maps.Copy(p.statements, other.statements)
}

// share is a number of statements and the number of them that have run.
type share struct{ statements, covered int }

func (s share) String() string { return fmt.Sprintf("%.1f %%", s.percent()) }

func (s share) percent() float64 {
	if s.statements == 0 {
		return 100
	}
	return 100 * float64(s.covered) / float64(s.statements)
}

// by adds up the blocks with the same key.
func (p *profile) by(key func(block) string) map[string]share {
	shares := map[string]share{}
	for b, statements := range p.statements {
		s := shares[key(b)]
		s.statements += statements
		if p.covered[b] {
			s.covered += statements
		}
		shares[key(b)] = s
	}
	return shares
}

func all(block) string        { return "" }
func byFolder(b block) string { return path.Dir(b.file) }
func byFile(b block) string   { return b.file }

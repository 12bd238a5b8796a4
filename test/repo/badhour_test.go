package repo

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updateDocs = flag.Bool("update-docs", false, "draw the bad hour in README.md")

// badHour is what docs/evidence/adoption.md has about small clients of a server while one client sends all it can.
type badHour struct {
	server               string
	alone, without, with load
}

// load is a measured case: the 99th percentile of the responses to small clients, and what the other client got.
type load struct {
	p99    time.Duration
	served float64 // requests a second
}

func badHoursOf(t *testing.T, text string) (hours []badHour) {
	t.Helper()
	row := regexp.MustCompile(`(?m)^\| (\S+) \| (?:mice alone|elephant, no flow control|elephant, pkg/apf) \| \d+ \| \S+ \| (\S+) \|.*\| *(?:([\d.]+)/s)? *\|$`)
	var loads []load
	for _, cells := range row.FindAllStringSubmatch(text, -1) {
		p99, err := time.ParseDuration(cells[2])
		require.NoError(t, err)
		served, err := strconv.ParseFloat("0"+cells[3], 64) // nobody else is there in the first row
		require.NoError(t, err)
		if loads = append(loads, load{p99, served}); len(loads) == 3 {
			hours = append(hours, badHour{cells[1], loads[0], loads[1], loads[2]})
			loads = nil
		}
	}
	require.Empty(t, loads)
	return hours
}

// draw draws two bars for each server, on one scale: a character is 40 ms.
func draw(hours []badHour) string {
	text := ""
	bar := func(server, name string, l load) {
		text += fmt.Sprintf("%-18s%-10s%5d ms  %s %.0f/s\n", server, name, l.p99.Round(time.Millisecond).Milliseconds(),
			strings.Repeat("█", int(math.Ceil(float64(l.p99)/float64(40*time.Millisecond)))), l.served)
	}
	for _, hour := range hours {
		bar(hour.server, "without", hour.without)
		bar("", "with", hour.with)
	}
	return text
}

// TestReadmeDrawsTheBadHour compares the picture with the measured figures. -update-docs draws it.
func TestReadmeDrawsTheBadHour(t *testing.T) {
	hours := badHoursOf(t, fileText(t, "docs/evidence/adoption.md"))
	require.Len(t, hours, 6)
	for _, hour := range hours {
		assert.Less(t, hour.alone.p99, hour.without.p99, hour.server)
	}
	readme := fileText(t, "README.md")
	block := regexp.MustCompile("(?s)<!-- the bad hour: .*?-->\n\n```\n(.*?)```\n")
	drawn := block.FindStringSubmatchIndex(readme)
	require.NotNil(t, drawn)
	if *updateDocs {
		require.NoError(t, os.WriteFile(filepath.Join(root(t), "README.md"), []byte(readme[:drawn[2]]+draw(hours)+readme[drawn[3]:]), 0o600))
		return
	}
	assert.Equal(t, draw(hours), readme[drawn[2]:drawn[3]], "run: go test ./test/repo -run TestReadmeDrawsTheBadHour -update-docs")
}

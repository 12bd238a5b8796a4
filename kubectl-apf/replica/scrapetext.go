package replica

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// readText reads the text format. Types do not matter: the sum and count of a histogram are series of
// their own.
func readText(in *bufio.Reader, yield func(series) bool) []string {
	for {
		line, err := in.ReadString('\n')
		switch {
		case err == nil:
		case !errors.Is(err, io.EOF):
			return []string{fmt.Sprintf("The response ended early: %v.", err)}
		case line != "":
			return []string{"The last line is cut off."}
		default:
			return nil
		}
		end := strings.IndexAny(line, "{ \t\r\n")
		if !isWanted(line[:end]) {
			continue
		}
		s, ok := parseSeries(line[:end], strings.TrimSpace(line[end:]))
		if !ok {
			return []string{fmt.Sprintf("The metrics are omitted from a malformed line on: %.80q.", line)}
		}
		if !yield(s) {
			return nil
		}
	}
}

// parseSeries parses what follows a name: labels, a value, and optionally a time.
func parseSeries(name, rest string) (series, bool) {
	s := series{name: name, labels: map[string]string{}}
	if inside, labelled := strings.CutPrefix(rest, "{"); labelled {
		rest = inside
		for !strings.HasPrefix(rest, "}") {
			key, after, found := strings.Cut(rest, "=")
			after = strings.TrimLeft(after, " ")
			quoted, err := strconv.QuotedPrefix(after)
			if !found || err != nil {
				return s, false
			}
			if s.labels[strings.TrimSpace(key)], err = strconv.Unquote(quoted); err != nil {
				return s, false
			}
			rest = strings.TrimLeft(after[len(quoted):], ", ")
		}
		rest = rest[1:]
	}
	value, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	var err error
	s.value, err = strconv.ParseFloat(value, 64)
	return s, err == nil || errors.Is(err, strconv.ErrRange)
}

// isWanted reports whether a series is read.
func isWanted(name string) bool {
	if strings.HasPrefix(name, flowControl) {
		of, isBucket := strings.CutSuffix(name, "_bucket")
		return !isBucket || of == execution || of == width
	}
	switch name {
	case objects, "apiserver_storage_objects", objectBytes, longRunning, processStart, ownSeries:
		return true
	default:
		return false
	}
}

package logs

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const httpMessage = "HTTP"

// valuesOf returns the keys and values of a line about a request, and its time; nil if it
// is another line.
func (c Clock) valuesOf(text string, written time.Time) (map[string]string, time.Time, error) {
	if strings.HasPrefix(text, "{") {
		return fromJSON(text)
	}
	header, rest, found := strings.Cut(text, `] "`+httpMessage+`" `)
	if !found || !strings.HasPrefix(header, "I") {
		return nil, time.Time{}, nil
	}
	completed, err := c.parse(header, written)
	if err != nil {
		return nil, time.Time{}, err
	}
	values, err := fromText(rest)
	return values, completed, err
}

// fromText returns the pairs of a line of klog. It ends at a value of several lines; only the first
// is here.
func fromText(text string) (map[string]string, error) {
	values := map[string]string{}
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimLeft(text, " ") {
		key, rest, found := strings.Cut(text, "=")
		if !found || strings.ContainsAny(key, ` "`) {
			return nil, fmt.Errorf("has %.40q, must be KEY=VALUE: the line may be cut off", text)
		}
		switch {
		case rest == "<":
			return values, nil
		case strings.HasPrefix(rest, `"`):
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, fmt.Errorf("has %s=%.40s, must end with a quotation mark: the line may be cut off", key, rest)
			}
			values[key], err = strconv.Unquote(quoted)
			if err != nil {
				return nil, fmt.Errorf("has %s=%.40s: %w", key, quoted, err)
			}
			text = rest[len(quoted):]
		default:
			values[key], text, _ = strings.Cut(rest, " ")
		}
	}
	return values, nil
}

// fromJSON returns the fields of a line of JSON.
func fromJSON(text string) (map[string]string, time.Time, error) {
	if !strings.Contains(text, `"`+httpMessage+`"`) {
		return nil, time.Time{}, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		return nil, time.Time{}, fmt.Errorf("is no JSON: %w", err)
	}
	values := make(map[string]string, len(fields))
	for key, raw := range fields {
		var value string
		if json.Unmarshal(raw, &value) != nil {
			value = string(raw)
		}
		values[key] = value
	}
	if values["msg"] != httpMessage || values["verb"] == "" {
		return nil, time.Time{}, nil
	}
	millis, err := strconv.ParseFloat(values["ts"], 64)
	if err != nil || !(math.Abs(millis) < 1e14) {
		return nil, time.Time{}, errors.New("has no ts, must be the milliseconds since 1970")
	}
	return values, time.UnixMicro(int64(math.Round(millis * 1000))).UTC(), nil
}

// Clock says what lines of text do not: the year and the time zone.
type Clock struct {
	// Latest is a time after the last line; the year follows from it.
	Latest time.Time
	// Zone is the time zone of the server.
	Zone *time.Location
}

// parse returns the time of the header of klog: LMMDD hh:mm:ss.uuuuuu. written is when
// the line was written, if that is known.
func (c Clock) parse(header string, written time.Time) (time.Time, error) {
	const layout = "0102 15:04:05.000000"
	if len(header) <= len(layout) {
		return time.Time{}, fmt.Errorf("has the header %q, must begin with LMMDD hh:mm:ss.uuuuuu", header)
	}
	latest := c.Latest
	if !written.IsZero() {
		latest = written.Add(24 * time.Hour)
	}
	for _, year := range []int{latest.Year(), latest.Year() - 1} {
		at, err := time.ParseInLocation("2006"+layout, strconv.Itoa(year)+header[1:1+len(layout)], c.Zone)
		if err == nil && !at.After(latest) {
			return at.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("has the time %q, must be MMDD hh:mm:ss.uuuuuu in the year before %s", header[1:1+len(layout)], latest.Format(time.RFC3339))
}

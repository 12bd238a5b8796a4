package simulate

import (
	"fmt"
	"html/template"
	"math"
	"strings"
	"time"
)

// The size of a chart, and the space for what is beside the lines, in units of its view.
const (
	chartWidth, chartHeight = 640, 200
	chartLeft, chartRight   = 52, 8
	chartTop, chartBottom   = 8, 20
)

// chart is lines over time.
type chart struct {
	tick       func(float64) string // writes a value at the left side
	lines      []line
	until, top float64
}

// line is values over time.
type line struct {
	class  string
	points []point
}

// point is a value at a time, in seconds since the beginning.
type point struct{ at, value float64 }

func newChart(tick func(float64) string) chart { return chart{tick: tick} }

func (c *chart) add(l line) {
	c.lines = append(c.lines, l)
	for _, p := range l.points {
		c.until, c.top = max(c.until, p.at), max(c.top, p.value)
	}
}

// SVG returns the chart. It contains nothing but numbers and constants.
func (c chart) SVG() template.HTML {
	top := roundUp(c.top)
	until := max(c.until, 1e-9)
	x := func(at float64) float64 { return chartLeft + at/until*(chartWidth-chartLeft-chartRight) }
	y := func(value float64) float64 {
		return chartHeight - chartBottom - value/top*(chartHeight-chartTop-chartBottom)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img">`, chartWidth, chartHeight)
	for i := range 5 {
		value, at := top*float64(i)/4, until*float64(i)/4
		fmt.Fprintf(&b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`, chartLeft, chartWidth-chartRight, y(value), y(value))
		fmt.Fprintf(&b, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`, chartLeft-5, y(value)+4, c.tick(value))
		anchor := []string{"start", "middle", "middle", "middle", "end"}[i]
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="%s">%s</text>`, x(at), chartHeight-5, anchor, clockTime(at))
	}
	for _, l := range c.lines {
		fmt.Fprintf(&b, `<path class="%s" d="`, l.class)
		for i, p := range l.points {
			command := "L"
			if i == 0 {
				command = "M"
			}
			fmt.Fprintf(&b, "%s%.1f %.1f", command, x(p.at), y(p.value))
		}
		b.WriteString(`"/>`)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // it contains nothing but numbers and constants
}

// roundUp returns 1, 2, 2.5 or 5 times a power of ten that is at least x.
func roundUp(x float64) float64 {
	if x <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, factor := range []float64{1, 2, 2.5, 5} {
		if factor*power >= x {
			return factor * power
		}
	}
	return 10 * power
}

// clockTime returns a time since the beginning.
func clockTime(seconds float64) string {
	return time.Duration(math.Round(seconds) * float64(time.Second)).String()
}

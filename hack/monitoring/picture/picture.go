package picture

import (
	"bytes"
	"context"
	"fmt"
	"html"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/monitoring/mixin"
)

// The layout, in pixels.
const (
	columns      = 3
	panelWidth   = 330
	panelHeight  = 190
	chartTop     = 40
	chartHeight  = 78
	chartLeft    = 12
	chartWidth   = panelWidth - 2*chartLeft
	legendLines  = 3
	lineHeight   = 15
	gap          = 12
	rowHeight    = 34
	titleHeight  = 40
	legendLetter = 44 // letters of a legend that fit a line
)

const style = `
    .page { fill: #f6f8fa; }
    .panel { fill: #ffffff; stroke: #d1d9e0; }
    .grid { stroke: #d1d9e0; }
    text { font: 11px system-ui, sans-serif; fill: #1f2328; }
    .title { font-size: 18px; font-weight: 600; }
    .row { font-size: 14px; font-weight: 600; }
    .name { font-size: 12px; font-weight: 600; }
    .small { fill: #59636e; }
    .line { fill: none; stroke-width: 1.5; }
    .c0 { stroke: #0969da; } .c1 { stroke: #bc4c00; } .c2 { stroke: #1a7f37; }
    .c3 { stroke: #8250df; } .c4 { stroke: #bf3989; } .c5 { stroke: #6e7781; }
    @media (prefers-color-scheme: dark) {
      .page { fill: #010409; }
      .panel { fill: #0d1117; stroke: #3d444d; }
      .grid { stroke: #3d444d; }
      text { fill: #f0f6fc; }
      .small { fill: #9198a1; }
    }
  `

// colours is the number of classes c0, c1 and so on.
const colours = 6

// Draw returns the dashboard as SVG. The caption is a line below its title.
func Draw(ctx context.Context, source Source, rows []mixin.Row, caption string) ([]byte, error) {
	var body bytes.Buffer
	y := titleHeight + lineHeight
	for _, row := range rows {
		text(&body, gap, y+22, "row", row.Title)
		y += rowHeight
		for i, panel := range row.Panels {
			lines, err := source.lines(ctx, panel)
			if err != nil {
				return nil, err
			}
			x := gap + i%columns*(panelWidth+gap)
			drawPanel(&body, x, y+i/columns*(panelHeight+gap), panel, lines)
		}
		y += (len(row.Panels) + columns - 1) / columns * (panelHeight + gap)
	}
	width, height := columns*(panelWidth+gap)+gap, y+gap
	var svg bytes.Buffer
	fmt.Fprintf(&svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n", width, height, width, height)
	fmt.Fprintf(&svg, "  <title>The dashboard of flow control</title>\n  <style>%s</style>\n", style)
	fmt.Fprintf(&svg, "  <rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", width, height)
	text(&svg, gap, 28, "title", "Flow control")
	text(&svg, gap, 28+lineHeight+3, "small", caption)
	svg.Write(body.Bytes())
	svg.WriteString("</svg>\n")
	return svg.Bytes(), nil
}

// drawPanel draws the lines of a panel between zero and the largest value, or between the
// smallest and the largest if one is negative.
func drawPanel(svg *bytes.Buffer, x, y int, panel mixin.Panel, lines []line) {
	fmt.Fprintf(svg, "  <g transform=\"translate(%d %d)\">\n  <rect class=\"panel\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", x, y, panelWidth, panelHeight)
	text(svg, chartLeft, 20, "name", panel.Title)
	low, high := bounds(lines)
	text(svg, chartLeft, chartTop-6, "small", format(panel.Unit, high))
	for _, at := range []int{chartTop, chartTop + chartHeight} {
		fmt.Fprintf(svg, "  <line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n", chartLeft, chartLeft+chartWidth, at, at)
	}
	for i, l := range lines {
		fmt.Fprintf(svg, "  <polyline class=\"line c%d\" points=\"", i%colours)
		for _, p := range l.points {
			fmt.Fprintf(svg, "%.1f,%.1f ", chartLeft+p.at*chartWidth, chartTop+chartHeight*(1-(p.value-low)/(high-low)))
		}
		svg.WriteString("\"/>\n")
	}
	drawLegend(svg, lines)
	svg.WriteString("  </g>\n")
}

func drawLegend(svg *bytes.Buffer, lines []line) {
	y := chartTop + chartHeight + lineHeight + 4
	if len(lines) == 0 {
		text(svg, chartLeft, y, "small", "no data")
	}
	for i, l := range lines {
		if i == legendLines && len(lines) > legendLines+1 {
			text(svg, chartLeft, y, "small", fmt.Sprintf("and %d more", len(lines)-legendLines))
			return
		}
		fmt.Fprintf(svg, "  <line class=\"line c%d\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n", i%colours, chartLeft, chartLeft+12, y-4, y-4)
		text(svg, chartLeft+18, y, "", shorten(l.legend))
		y += lineHeight
	}
}

func shorten(legend string) string {
	if letters := []rune(legend); len(letters) > legendLetter {
		return string(letters[:legendLetter-1]) + "…"
	}
	return legend
}

// bounds returns the lower and the upper end of the chart, which differ.
func bounds(lines []line) (low, high float64) {
	for _, l := range lines {
		for _, p := range l.points {
			low, high = min(low, p.value), max(high, p.value)
		}
	}
	if low == high {
		high = low + 1
	}
	return low, high
}

func text(svg *bytes.Buffer, x, y int, class, content string) {
	fmt.Fprintf(svg, "  <text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", x, y, class, html.EscapeString(content))
}

package measurement

import (
	"bytes"
	"encoding/xml"
	"fmt"
)

// Picture is a chart of horizontal bars on one scale. Its height and width follow from its contents.
type Picture struct {
	Title    string
	Groups   []Group
	Captions []string
}

// Group is bars below a title.
type Group struct {
	Title string
	Bars  []Bar
}

// Bar is a length with a label on its left and a text on its right.
type Bar struct {
	Label, Text string
	// Class is its colour.
	Class string
	// Length is in any unit, the same in all bars.
	Length float64
}

// Colours of bars.
const (
	Green = "green"
	Red   = "red"
	Grey  = "grey"
)

// The layout in pixels.
const (
	pictureWidth = 760
	labelWidth   = 215 // left of the bars
	longestBar   = 440
	barHeight    = 22
	barDistance  = 30
	titleHeight  = 38 // of a group
	firstGroup   = 38
	lineHeight   = 18
	margin       = 16
)

const style = `
    .panel { fill: #ffffff; }
    text { font: 14px system-ui, sans-serif; fill: #1f2328; }
    .title { font-size: 17px; font-weight: 600; }
    .small { font-size: 12px; fill: #59636e; }
    .red { fill: #bc4c00; }
    .green { fill: #1a7f37; }
    .grey { fill: #818b98; }
    @media (prefers-color-scheme: dark) {
      .panel { fill: #0d1117; }
      text { fill: #f0f6fc; }
      .small { fill: #9198a1; }
      .red { fill: #f0883e; }
      .green { fill: #3fb950; }
    }
  `

// SVG draws the picture. Equal pictures give equal files.
func (p Picture) SVG() []byte {
	longest, height := 0.0, firstGroup+len(p.Captions)*lineHeight
	for _, g := range p.Groups {
		height += titleHeight + len(g.Bars)*barDistance
		for _, b := range g.Bars {
			longest = max(longest, b.Length)
		}
	}
	var svg bytes.Buffer
	width, tall := pictureWidth+2*margin, height+2*margin
	fmt.Fprintf(&svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%d %d %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n",
		-margin, -margin, width, tall, width, tall)
	fmt.Fprintf(&svg, "  <title>%s</title>\n", escape(p.Title))
	fmt.Fprintf(&svg, "  <style>%s</style>\n", style)
	fmt.Fprintf(&svg, "  <rect class=\"panel\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n", -margin, -margin, width, tall)
	line(&svg, 0, 22, "title", p.Title)
	y := firstGroup
	for _, g := range p.Groups {
		y += titleHeight
		line(&svg, 0, y-14, "", g.Title)
		for _, b := range g.Bars {
			b.draw(&svg, y, longest)
			y += barDistance
		}
	}
	for i, caption := range p.Captions {
		line(&svg, 0, y+lineHeight+i*lineHeight, "small", caption)
	}
	svg.WriteString("</svg>\n")
	return svg.Bytes()
}

func (b Bar) draw(svg *bytes.Buffer, y int, longest float64) {
	length := 1
	if longest > 0 {
		length = max(1, int(longestBar*b.Length/longest))
	}
	line(svg, 12, y+16, "", b.Label)
	fmt.Fprintf(svg, "  <rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>\n", b.Class, labelWidth, y, length, barHeight)
	line(svg, labelWidth+length+8, y+16, "", b.Text)
}

func line(svg *bytes.Buffer, x, y int, class, text string) {
	attribute := ""
	if class != "" {
		attribute = fmt.Sprintf(" class=%q", class)
	}
	fmt.Fprintf(svg, "  <text x=\"%d\" y=\"%d\"%s>%s</text>\n", x, y, attribute, escape(text))
}

func escape(text string) string {
	var escaped bytes.Buffer
	_ = xml.EscapeText(&escaped, []byte(text)) // a buffer takes everything
	return escaped.String()
}

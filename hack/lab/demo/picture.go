package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"time"
)

// The layout of the picture, in pixels.
const (
	pictureWidth  = 760
	labelWidth    = 215 // left of the bars
	longestBar    = 440
	barHeight     = 22
	barDistance   = 30
	groupDistance = 98
	firstGroup    = 76
	pictureHeight = 412
	margin        = 16
)

const pictureStyle = `
    .panel { fill: #ffffff; }
    text { font: 14px system-ui, sans-serif; fill: #1f2328; }
    .title { font-size: 17px; font-weight: 600; }
    .small { font-size: 12px; fill: #59636e; }
    .without { fill: #bc4c00; }
    .with { fill: #1a7f37; }
    @media (prefers-color-scheme: dark) {
      .panel { fill: #0d1117; }
      text { fill: #f0f6fc; }
      .small { fill: #9198a1; }
      .without { fill: #f0883e; }
      .with { fill: #3fb950; }
    }
  `

// figure is one quantity of both runs.
type figure struct {
	title         string
	without, with time.Duration
}

// draw writes the time that the mice's requests took, without flow control and
// with it, as an SVG file. Equal results give equal files.
func draw(path string, with, without result) error {
	var figures []figure
	for _, percent := range []int{50, 90, 99} {
		q := float64(percent) / 100
		figures = append(figures, figure{
			fmt.Sprintf("%d %% of the mice's requests get a response within", percent), without.mice.Quantile(q), with.mice.Quantile(q),
		})
	}
	captions := []string{
		fmt.Sprintf("%d mice, %d requests a second each, beside %d greedy users with %d connections each. A backend serves %d at once for %v.",
			mice, mousePerSecond, greedy, connections, seats, takes),
		fmt.Sprintf("Mice rejected: %d without, %d with. Greedy served: %d without, %d with; %d of their requests rejected. Each run takes %s.",
			without.mice.Rejected(), with.mice.Rejected(), without.greedy.Served(), with.greedy.Served(), with.greedy.Rejected(), runTime),
		fmt.Sprintf("Measured and drawn by make demo-picture on %d processors, which server and clients share.", runtime.NumCPU()),
	}
	return os.WriteFile(path, picture(figures, captions), 0o644)
}

// picture draws two bars for each figure, on one scale.
func picture(figures []figure, captions []string) []byte {
	longest := time.Duration(1)
	for _, f := range figures {
		longest = max(longest, f.without, f.with)
	}
	var svg bytes.Buffer
	const width, height = pictureWidth + 2*margin, pictureHeight + 2*margin
	fmt.Fprintf(&svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%d %d %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n",
		-margin, -margin, width, height, width, height)
	fmt.Fprintf(&svg, "  <title>Time to a response for small clients beside 30 greedy ones, without flow control and with it</title>\n")
	fmt.Fprintf(&svg, "  <style>%s</style>\n", pictureStyle)
	fmt.Fprintf(&svg, "  <rect class=\"panel\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n", -margin, -margin, width, height)
	write(&svg, 0, 22, "title", "Small clients beside 30 greedy ones, before and after one kubectl apply")
	for i, f := range figures {
		y := firstGroup + i*groupDistance
		write(&svg, 0, y-14, "", f.title)
		bar(&svg, y, "without", "without flow control", f.without, longest)
		bar(&svg, y+barDistance, "with", "with flow control", f.with, longest)
	}
	for i, caption := range captions {
		write(&svg, 0, firstGroup+len(figures)*groupDistance+i*18, "small", caption)
	}
	svg.WriteString("</svg>\n")
	return svg.Bytes()
}

// bar draws one bar with its label and its figure.
func bar(svg *bytes.Buffer, y int, class, label string, value, longest time.Duration) {
	length := max(1, int(longestBar*value/longest))
	write(svg, 12, y+16, "", label)
	fmt.Fprintf(svg, "  <rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>\n", class, labelWidth, y, length, barHeight)
	write(svg, labelWidth+length+8, y+16, "", short(value))
}

// write writes a line of text, which needs no escaping.
func write(svg *bytes.Buffer, x, y int, class, text string) {
	attribute := ""
	if class != "" {
		attribute = fmt.Sprintf(" class=%q", class)
	}
	fmt.Fprintf(svg, "  <text x=\"%d\" y=\"%d\"%s>%s</text>\n", x, y, attribute, text)
}

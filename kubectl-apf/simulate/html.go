package simulate

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

//go:embed page.html
var pageHTML string

// colors is the number of colors of the page.
const colors = 5

// page is what the template shows.
type page struct {
	Report                                             *Report
	Start                                              string
	Compared                                           bool
	Configurations, LevelTable, SchemaTable, FlowTable table.Table
	Differences                                        []pageDifference
	Levels                                             []pageLevel
	Notes                                              []string
}

// pageDifference is a Difference as text.
type pageDifference struct {
	Difference
	Earlier, Later, Mark string
	Width                float64
}

// pageLevel is the plots of a level.
type pageLevel struct {
	Name         string
	Keys         []pageKey
	Seats, Waits chart
}

// pageKey is the color of a configuration.
type pageKey struct {
	Name  string
	Color int
}

// WriteHTML writes the report as one page with plots, which needs nothing else.
func (r *Report) WriteHTML(w io.Writer) error {
	t, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return fmt.Errorf("parsing the page: %w", err)
	}
	p := page{
		Report: r, Start: r.Trace.Start.UTC().Format(time.RFC3339), Compared: len(r.Results) > 1,
		Configurations: r.resultTable(), LevelTable: r.levelTable(), SchemaTable: r.schemaTable(), FlowTable: r.flowTable(),
		Notes: r.notes(),
	}
	p.differences(r)
	for _, name := range r.levelNames() {
		if level, busy := r.pageLevel(name); busy {
			p.Levels = append(p.Levels, level)
		}
	}
	return t.Execute(w, p)
}

// differences sets the largest differences, with bars relative to the largest one.
func (p *page) differences(r *Report) {
	for i := range r.Differences {
		if i == 2*maxDifferences {
			return
		}
		d := r.Differences[i]
		one := pageDifference{Difference: d, Earlier: d.text(d.Before), Later: d.text(d.After), Mark: "worse", Width: 9 * d.Size() / r.Differences[0].Size()}
		if d.Gains {
			one.Mark = "better"
		}
		p.Differences = append(p.Differences, one)
	}
}

// pageLevel returns the plots of a level, and whether it had any request.
func (r *Report) pageLevel(name string) (out pageLevel, busy bool) {
	out = pageLevel{Name: name, Seats: newChart(seatTicks), Waits: newChart(seconds)}
	for i := range r.Results {
		for j := range r.Results[i].Levels {
			l := &r.Results[i].Levels[j]
			if l.Name != name {
				continue
			}
			busy = busy || l.Requests > 0
			color := i % colors
			out.Keys = append(out.Keys, pageKey{r.Results[i].Name, color})
			out.Seats.add(line{class: fmt.Sprintf("s%d", color), points: seriesOf(l, func(p *Point) float64 { return p.Seats })})
			if l.Type != "Exempt" {
				out.Seats.add(line{class: fmt.Sprintf("limit s%d", color), points: seriesOf(l, func(p *Point) float64 { return p.Limit })})
			}
			out.Waits.add(line{class: fmt.Sprintf("s%d", color), points: seriesOf(l, func(p *Point) float64 { return p.Wait })})
		}
	}
	return out, busy
}

func seriesOf(l *Level, value func(*Point) float64) []point {
	out := make([]point, len(l.Series))
	for i := range l.Series {
		out[i] = point{l.Series[i].At, value(&l.Series[i])}
	}
	return out
}

func seatTicks(n float64) string { return fmt.Sprint(math.Round(n*10) / 10) }

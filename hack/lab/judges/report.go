package judges

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// Row is what a case did to both servers.
type Row struct {
	Case Case
	// Size and Beside are the sizes of the attacks on this server and on kube-apiserver.
	Size, Beside int
	Ours         Figures
	// Theirs are kube-apiserver's figures, nil if the attack could not be made on it.
	Theirs *Figures
}

// Table returns the rows as Markdown: latencies and answers, and what the servers used.
func Table(rows []Row) string {
	return latencies(rows) + "\n" + uses(rows)
}

// latencies returns what the mouse noticed and what the attackers were answered.
func latencies(rows []Row) string {
	header := measurement.Row{"hostile clients", "number", "p99 of the mouse, quiet and meanwhile", "ratio", "kube-apiserver's", "ratio", "answers of this server"}
	var text strings.Builder
	text.WriteString(header.String() + header.Rule())
	for _, row := range rows {
		number := fmt.Sprint(row.Size)
		if row.Beside != row.Size {
			number += fmt.Sprintf("; %d for kube-apiserver", row.Beside)
		}
		cells := slices.Concat([]string{row.Case.Name, number}, row.Ours.latencies(), row.Theirs.latencies(), []string{row.Ours.Answers.String()})
		text.WriteString(measurement.Row(cells).String())
	}
	return text.String()
}

// uses returns what each server used during an attack and after it.
func uses(rows []Row) string {
	header := measurement.Row{"hostile clients"}
	for _, use := range []string{"peak memory", "at rest after", "processor time until rest", "heap before and after", "lines logged", "counted as 5xx"} {
		header = append(header, use, "kube-apiserver's")
	}
	var text strings.Builder
	text.WriteString(header.String() + "|---|" + strings.Repeat("---:|", len(header)-1) + "\n")
	for _, row := range rows {
		cells := measurement.Row{row.Case.Name}
		ours, theirs := row.Ours.uses(), row.Theirs.uses()
		for i := range ours {
			cells = append(cells, ours[i], theirs[i])
		}
		text.WriteString(cells.String())
	}
	return text.String()
}

// String says what the server used.
func (f *Figures) String() string {
	uses := f.uses()
	return fmt.Sprintf("peak %s, at rest after %s and %s of processor time, heap before and after %s, %s lines logged, %s counted as 5xx",
		uses[0], uses[1], uses[2], uses[3], uses[4], uses[5])
}

// latencies returns the mouse's latencies and their ratio.
func (f *Figures) latencies() []string {
	if f == nil {
		return []string{"failed", ""}
	}
	quiet, during := f.Quiet.Quantile(0.99), f.During.Quantile(0.99)
	ratio := ""
	if quiet > 0 {
		ratio = fmt.Sprintf("%.1f", float64(during)/float64(quiet))
	}
	if failed := len(failures(f.During)); failed > 0 {
		ratio += fmt.Sprintf(", %d failed", failed)
	}
	return []string{fmt.Sprintf("%s, %s", short(quiet), short(during)), ratio}
}

// uses returns the peak of memory, the time until the server was at rest, the processor time that
// it used meanwhile, the heap before and after, the lines logged, and the answers counted as 5xx.
func (f *Figures) uses() []string {
	if f == nil {
		return []string{"failed", "", "", "", "", ""}
	}
	resting := short(f.Resting)
	if f.Unrest != nil {
		resting = "more than " + resting
	}
	heap := fmt.Sprintf("%d MiB, %d MiB", int64(f.Before.Heap)>>20, int64(f.After.Heap)>>20)
	if f.KeptFor > 0 {
		heap += fmt.Sprintf("; %d MiB after %v", int64(f.Kept)>>20, f.KeptFor.Round(time.Second))
	}
	return []string{fmt.Sprintf("%d MiB", f.Peak>>20), resting, short(f.Worked), heap, fmt.Sprint(f.After.Lines - f.Before.Lines), fmt.Sprint(f.After.Failures - f.Before.Failures)}
}

func short(d time.Duration) string { return d.Round(100 * time.Microsecond).String() }

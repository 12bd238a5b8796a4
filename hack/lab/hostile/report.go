package hostile

import (
	"fmt"
	"strings"
	"time"
)

// Row is what a case did to both servers.
type Row struct {
	Case Case
	// Size and Beside are the sizes of the attacks on this server and on kube-apiserver.
	Size, Beside int
	Ours         Figures
	// Theirs are those of kube-apiserver, nil if the attack could not be made on it.
	Theirs *Figures
}

// Table returns the rows as Markdown.
func Table(rows []Row) string {
	var text strings.Builder
	fmt.Fprint(&text, "| hostile clients | number | p99 of the mouse, quiet and meanwhile | ratio | kube-apiserver's | ratio | peak memory | kube-apiserver's | answers of this server |\n"+
		"|---|---:|---:|---:|---:|---:|---:|---:|---|\n")
	for _, row := range rows {
		number := fmt.Sprint(row.Size)
		if row.Beside != row.Size {
			number += fmt.Sprintf("; %d for kube-apiserver", row.Beside)
		}
		ours, theirs := row.Ours.cells(), [3]string{"failed", "", ""}
		if row.Theirs != nil {
			theirs = row.Theirs.cells()
		}
		cells := []string{row.Case.Name, number, ours[0], ours[1], theirs[0], theirs[1], ours[2], theirs[2], row.Ours.Answers.String()}
		fmt.Fprintf(&text, "| %s |\n", strings.Join(cells, " | "))
	}
	return text.String()
}

// String says what the server used.
func (f *Figures) String() string {
	return fmt.Sprintf("peak %d MiB, at rest after %v, heap %d MiB before and %d after, %d lines logged",
		f.Peak>>20, short(f.Resting), int64(f.Before.Heap)>>20, int64(f.After.Heap)>>20, f.After.Lines-f.Before.Lines)
}

// cells returns latencies, their ratio, and the peak of memory.
func (f *Figures) cells() [3]string {
	quiet, during := f.Quiet.P99(), f.During.P99()
	cells := [3]string{fmt.Sprintf("%s, %s", short(quiet), short(during)), "", fmt.Sprintf("%d MiB", f.Peak>>20)}
	if quiet > 0 {
		cells[1] = fmt.Sprintf("%.1f", float64(during)/float64(quiet))
	}
	if failed := len(f.During.Failures); failed > 0 {
		cells[1] += fmt.Sprintf(", %d failed", failed)
	}
	return cells
}

func short(d time.Duration) string { return d.Round(100 * time.Microsecond).String() }

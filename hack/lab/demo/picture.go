package main

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// draw writes the time that the mice's requests took, without flow control and
// with it, as an SVG file.
func draw(path string, with, without result) error {
	picture := measurement.Picture{
		Title: "Small clients beside 30 greedy ones, before and after one kubectl apply",
		Captions: []string{
			fmt.Sprintf("%d mice, %d requests a second each, beside %d greedy users with %d connections each. A backend serves %d at once for %v.",
				mice, mousePerSecond, greedy, connections, seats, takes),
			fmt.Sprintf("Mice rejected: %d without, %d with. Greedy served: %d without, %d with; %d of their requests rejected. Each run takes %s.",
				without.mice.Rejected(), with.mice.Rejected(), without.greedy.Served(), with.greedy.Served(), with.greedy.Rejected(), runTime),
			fmt.Sprintf("Measured and drawn by make demo-picture on %d processors, which server and clients share.", runtime.NumCPU()),
		},
	}
	for _, percent := range []int{50, 90, 99} {
		q := float64(percent) / 100
		picture.Groups = append(picture.Groups, measurement.Group{
			Title: fmt.Sprintf("%d%% of the mice's requests get a response within", percent),
			Bars:  []measurement.Bar{bar("without flow control", measurement.Red, without.mice.Quantile(q)), bar("with flow control", measurement.Green, with.mice.Quantile(q))},
		})
	}
	return os.WriteFile(path, picture.SVG(), 0o644)
}

func bar(label, class string, took time.Duration) measurement.Bar {
	return measurement.Bar{Label: label, Class: class, Length: took.Seconds(), Text: short(took)}
}

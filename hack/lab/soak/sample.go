package main

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// sample is what a server used at one time.
type sample struct {
	kind kind
	at   time.Duration // since the start
	// memory and etcd are in bytes.
	memory, goroutines, files, etcd float64
	// requests are the mice's since the last sample.
	requests requests
}

func (s sample) String() string {
	return fmt.Sprintf("%v: memory %.0f MiB, %.0f goroutines, %.0f files, etcd %.1f MiB, p99 %.1f ms",
		s.kind, s.memory/(1<<20), s.goroutines, s.files, s.etcd/(1<<20), s.requests.p99()*1000)
}

// errTooFew is returned if a line cannot be drawn.
var errTooFew = errors.New("a slope needs samples at three times at least")

// slope returns by how much a value rises in an hour, the slope of the line of least squares,
// and twice its standard error, within which the true one is with about 95 % confidence if the
// samples scatter about a line independently. Times are in hours.
func slope(times, values []float64) (rise, within float64, err error) {
	meanTime, meanValue := mean(times), mean(values)
	var product, square float64
	for i := range times {
		product += (times[i] - meanTime) * (values[i] - meanValue)
		square += (times[i] - meanTime) * (times[i] - meanTime)
	}
	if square == 0 || len(times) < 3 {
		return 0, 0, errTooFew
	}
	rise = product / square
	var left float64 // the squares of what the line leaves
	for i := range times {
		off := values[i] - meanValue - rise*(times[i]-meanTime)
		left += off * off
	}
	return rise, 2 * math.Sqrt(left/float64(len(times)-2)/square), nil
}

func mean(values []float64) (sum float64) {
	for _, value := range values {
		sum += value
	}
	return sum / float64(max(len(values), 1))
}

// report returns the figures as Markdown.
func report(samples []sample, length time.Duration) (string, error) {
	var text strings.Builder
	var all requests
	for _, s := range samples {
		all.latencies = append(all.latencies, s.requests.latencies...)
		all.rejected, all.failed = all.rejected+s.requests.rejected, all.failed+s.requests.failed
	}
	fmt.Fprintf(&text, "A run of %v on a machine with %d processors; %d samples. Of the requests of mice %d were served, %d rejected with 429, and %d failed.\n\n",
		length, runtime.NumCPU(), len(samples), len(all.latencies), all.rejected, all.failed)
	fmt.Fprint(&text, "| figure | ordinary: mean of the second half | slope, per hour | overload: mean of the second half | slope, per hour |\n|---|---:|---:|---:|---:|\n")
	for _, figure := range []struct {
		name  string
		value func(sample) float64
		show  func(float64) string
	}{
		{"resident memory", func(s sample) float64 { return s.memory }, mebibytes},
		{"goroutines", func(s sample) float64 { return s.goroutines }, number},
		{"open files", func(s sample) float64 { return s.files }, number},
		{"size of etcd", func(s sample) float64 { return s.etcd }, mebibytes},
		{"p99 of the mice", func(s sample) float64 { return s.requests.p99() }, func(v float64) string { return measurement.Format(v, "sec") }},
	} {
		cells := []string{figure.name}
		for _, k := range []kind{ordinary, overload} {
			var times, values []float64
			for _, s := range samples {
				if s.kind == k && s.at > length/2 {
					times, values = append(times, s.at.Hours()), append(values, figure.value(s))
				}
			}
			rise, within, err := slope(times, values)
			if err != nil {
				return "", fmt.Errorf("%s, %v traffic: %w", figure.name, k, err)
			}
			cells = append(cells, figure.show(mean(values)), signed(rise, figure.show)+" ± "+figure.show(within))
		}
		fmt.Fprintf(&text, "| %s |\n", strings.Join(cells, " | "))
	}
	return text.String(), nil
}

func mebibytes(value float64) string { return fmt.Sprintf("%.1f MiB", value/(1<<20)) }

func number(value float64) string { return fmt.Sprintf("%.1f", value) }

// signed shows a slope with its sign.
func signed(value float64, show func(float64) string) string {
	if value < 0 {
		return "-" + show(-value)
	}
	return "+" + show(value)
}

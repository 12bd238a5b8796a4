package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

const (
	memoryInterval = 10 * time.Millisecond
	// scrapeEvery is the number of memory intervals between two scrapes.
	scrapeEvery = 40
	// listers selects the series of the flow schema of the lists.
	listers = `flow_schema="service-accounts"`
)

// watch watches a server. Its results may be read when run has returned.
type watch struct {
	process *harness.Process
	client  *http.Client
	url     string
	limit   float64

	killed bool
	peak   float64
	seats  float64 // of one list, the mean until the last scrape
}

func newWatch(o *harness.Owner, server *harness.Server, limit float64) *watch {
	config := server.Config(o)
	client, err := rest.HTTPClientFor(config)
	o.Check(err)
	return &watch{process: server.Process, client: client, url: config.Host + "/metrics", limit: limit}
}

// run watches until ctx ends. When the server exceeds its limit, it kills the server and
// calls stop.
func (w *watch) run(ctx context.Context, stop func()) {
	ticker := time.NewTicker(memoryInterval)
	defer ticker.Stop()
	scraped := make(chan float64, 1)
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case w.seats = <-scraped:
			continue
		case <-ticker.C:
		}
		resident := residentMemory(w.process.PID())
		w.peak = max(w.peak, resident)
		if resident > w.limit {
			w.killed = true
			_ = w.process.Signal(syscall.SIGKILL) // fails only if it has ended
			stop()
			return
		}
		if n%scrapeEvery == 0 {
			go func() {
				if seats, ok := w.scrape(ctx); ok {
					select {
					case scraped <- seats:
					default: // the last one was not read yet
					}
				}
			}()
		}
	}
}

// scrape returns the mean estimate of the lists so far.
func (w *watch) scrape(ctx context.Context) (float64, bool) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url, nil)
	if err != nil {
		return 0, false
	}
	response, err := w.client.Do(request)
	if err != nil {
		return 0, false
	}
	defer func() { _ = response.Body.Close() }()
	var text strings.Builder
	if _, err := io.Copy(&text, response.Body); err != nil {
		return 0, false
	}
	values, err := scrape.Parse(text.String(), "apiserver_flowcontrol_work_estimated_seats")
	if err != nil {
		return 0, false
	}
	count := values.Sum("apiserver_flowcontrol_work_estimated_seats_count", listers)
	return values.Sum("apiserver_flowcontrol_work_estimated_seats_sum", listers) / max(count, 1), count > 0
}

// residentMemory returns the resident memory of a process in bytes; 0 if it has ended.
func residentMemory(pid int) float64 {
	content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(content))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseFloat(fields[1], 64)
	if err != nil {
		return 0
	}
	return pages * float64(os.Getpagesize())
}

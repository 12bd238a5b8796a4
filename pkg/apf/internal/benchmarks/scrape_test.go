package benchmarks

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/component-base/metrics/legacyregistry"
)

// scrapePeriod is the time between two scrapes. It is a hundredth of the usual
// one, because benchmarks take fractions of a second.
const scrapePeriod = 100 * time.Millisecond

// scrapeAll repeatedly scrapes the library's and this project's registry until
// the benchmark ends, for either engine.
func scrapeAll(b *testing.B, own prometheus.Gatherer) {
	b.Helper()
	stop, scrapes := make(chan struct{}), make(chan int)
	begin := time.Now()
	go func() {
		ticker := time.NewTicker(scrapePeriod)
		defer ticker.Stop()
		for n := 0; ; n++ {
			select {
			case <-stop:
				scrapes <- n
				return
			case <-ticker.C:
			}
			if err := scrape(io.Discard, legacyregistry.DefaultGatherer, own); err != nil {
				b.Error(err)
			}
		}
	}()
	b.Cleanup(func() {
		close(stop)
		b.ReportMetric(float64(<-scrapes)/time.Since(begin).Seconds(), "scrapes/s")
	})
}

// scrape writes the metrics of the gatherers in the format that a Prometheus
// server reads.
func scrape(w io.Writer, gatherers ...prometheus.Gatherer) error {
	encoder := expfmt.NewEncoder(w, expfmt.NewFormat(expfmt.TypeTextPlain))
	for _, gatherer := range gatherers {
		families, err := gatherer.Gather()
		if err != nil {
			return err
		}
		for _, family := range families {
			if err := encoder.Encode(family); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestAScrapeHoldsTheFiguresOfBothEngines(t *testing.T) {
	levels, schemas := builtIn()
	for name, newEngine := range map[string]constructor{"peer": newPeer, "ours": newOurs} {
		t.Run(name, func(t *testing.T) {
			engine, registry := start(t, newEngine, levels, schemas)
			handlerOf(engine)(t.Context(), digestOf("alice", "system:authenticated"), func() {})
			var page bytes.Buffer
			require.NoError(t, scrape(&page, legacyregistry.DefaultGatherer, registry))
			assert.Contains(t, page.String(), `apiserver_flowcontrol_dispatched_requests_total{flow_schema="global-default",priority_level="global-default"}`)
			if name == "ours" {
				page.Reset()
				require.NoError(t, scrape(&page, registry))
				assert.Contains(t, page.String(), `apiserver_flowcontrol_dispatched_requests_total{flow_schema="global-default",priority_level="global-default"} `)
			}
		})
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	getsInRound = 300
	// ownPart is the greatest wanted ratio of this server's time behind the
	// aggregator to its time without it.
	ownPart = 1.10
)

// way is a way to get a FlowSchema. Its name is part of the results' names.
type way int

const (
	oursThrough way = iota
	oursDirect
	nothingThrough
	nothingDirect
	ways // the number of ways
)

func (w way) benchmark() string {
	return "Get/" + [...]string{
		oursThrough: "server=flowcontrol-apiserver/way=aggregator", oursDirect: "server=flowcontrol-apiserver/way=direct",
		nothingThrough: "server=nothing/way=aggregator", nothingDirect: "server=nothing/way=direct",
	}[w]
}

// ownBenchmark is this server's time of a get through the aggregator.
const ownBenchmark = "Get/part=own"

// measureGets measures the latency of a get by each way, in turns.
func (f *front) measureGets(o *harness.Owner, s settings) table {
	o.Logf("aggregated: gets")
	clients := [ways]*client{
		oursThrough: f.client(o, f.kube.URL), oursDirect: f.client(o, f.ours[0].URL),
		nothingThrough: f.client(o, f.kube.URL), nothingDirect: f.client(o, f.nothing.url()),
	}
	for round := range s.rounds + 1 {
		taken, err := getsByAllWays(o.Context(), clients)
		o.Check(err)
		if round > 0 { // the first warms up
			o.Check(taken.record(s.log))
		}
	}
	return latencyTable()
}

// latencies are the medians of one round, in seconds, by way.
type latencies [ways]float64

func (l latencies) record(log *measurement.Log) error {
	err := log.Add(ownBenchmark, getsInRound, measurement.Values{p50: l.ownPart()})
	for by, median := range l {
		err = errors.Join(err, log.Add(way(by).benchmark(), getsInRound, measurement.Values{p50: median}))
	}
	return err
}

// ownPart returns this server's time of a get through the aggregator. It
// subtracts the aggregator's time, measured with a server that does nothing.
func (l latencies) ownPart() float64 {
	return l[oursThrough] - (l[nothingThrough] - l[nothingDirect])
}

func getsByAllWays(ctx context.Context, clients [ways]*client) (medians latencies, err error) {
	var took [ways][]float64
	for n := range getsInRound {
		for i := range ways {
			by := (way(n) + i) % ways // rotates the order
			path := beside + "/" + asked
			if by == nothingThrough || by == nothingDirect {
				path = nothingPath
			}
			begin := time.Now()
			if err := clients[by].do(ctx, http.MethodGet, path, nil); err != nil {
				return latencies{}, err
			}
			took[by] = append(took[by], time.Since(begin).Seconds())
		}
	}
	for by := range took {
		medians[by] = measurement.Quantile(took[by], 0.5)
	}
	return medians, nil
}

func latencyTable() table {
	through := func(what, benchmark string, direct way, wanted float64) measurement.Comparison {
		return measurement.Comparison{What: what, Ours: figure(benchmark, p50), Beside: figure(direct.benchmark(), p50), Wanted: wanted}
	}
	return table{
		title: "A get through kube-apiserver and directly",
		note: fmt.Sprintf("One client of a service account gets one FlowSchema, %d times a round by each way, one way after the other; p50. The server "+
			"that does nothing gives the same bytes at once. Directly this server reviews the account's token, through kube-apiserver "+
			"it verifies the front proxy's certificate; reviews of tokens and access are cached for some seconds, so the median sees none. "+
			"This server's part is what a get of it takes through kube-apiserver, less what kube-apiserver adds to a get of the server that "+
			"does nothing.", getsInRound),
		columns: [2]string{"through kube-apiserver", "directly"},
		rows: []measurement.Comparison{
			through("this server", oursThrough.benchmark(), oursDirect, 0),
			through("a server that does nothing", nothingThrough.benchmark(), nothingDirect, 0),
			through("this server's part", ownBenchmark, oursDirect, ownPart),
		},
	}
}

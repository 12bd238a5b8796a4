package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	getsInRound = 300
	// ownPart is the most that our part may be through the aggregator, of what it
	// is without.
	ownPart = 1.10
)

// way is a way to get a FlowSchema.
type way int

const (
	oursThrough way = iota
	oursDirect
	nothingThrough
	nothingDirect
	ways // how many there are
)

// measureGets measures the latency of a get by each way, in turns.
func (f *front) measureGets(o *harness.Owner, rounds int) []table {
	o.Logf("aggregated: gets")
	clients := [ways]*client{
		oursThrough: f.client(o, f.kube.URL), oursDirect: f.client(o, f.ours[0].URL),
		nothingThrough: f.client(o, f.kube.URL), nothingDirect: f.client(o, f.nothing.url()),
	}
	var measured []latencies
	for round := range rounds + 1 {
		taken, err := getsByAllWays(o.Context(), clients)
		o.Check(err)
		if round > 0 { // the first warms up
			measured = append(measured, taken)
		}
	}
	return []table{latencyTable(measured), ownPartTable(measured)}
}

// latencies are the medians of one round, in seconds.
type latencies [ways]float64

// ownPart is what this server takes of a get through the aggregator: all but
// what the aggregator adds to one of a server that does nothing.
func (l latencies) ownPart() float64 {
	return l[oursThrough] - (l[nothingThrough] - l[nothingDirect])
}

func getsByAllWays(ctx context.Context, clients [ways]*client) (latencies, error) {
	var took [ways][]float64
	for n := range getsInRound {
		for i := range ways {
			by := (way(n) + i) % ways // none is always after the same one
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
	var medians latencies
	for by := range took {
		medians[by] = median(took[by])
	}
	return medians, nil
}

func latencyTable(measured []latencies) table {
	of := func(by way) string {
		return seconds.format(median(mapped(measured, func(l latencies) float64 { return l[by] })))
	}
	return table{
		title: "A get through kube-apiserver and directly",
		note: fmt.Sprintf("One client of a service account gets one FlowSchema, %d times a round by each way, one way after the other; p50. The server "+
			"that does nothing gives the same bytes at once. Directly this server reviews the account's token, through kube-apiserver "+
			"it verifies the front proxy's certificate; reviews of tokens and access are cached for some seconds, so the median sees none.", getsInRound),
		text: "| | through kube-apiserver | directly |\n|---|---:|---:|\n" +
			fmt.Sprintf("| this server | %s | %s |\n", of(oursThrough), of(oursDirect)) +
			fmt.Sprintf("| a server that does nothing | %s | %s |\n", of(nothingThrough), of(nothingDirect)),
	}
}

func ownPartTable(measured []latencies) table {
	return table{
		title: "Our part of a get",
		note: "Through kube-apiserver: what a get of this server takes, less what kube-apiserver adds to a get of the server that does " +
			"nothing. Beside it a get sent to this server directly.",
		columns: [2]string{"through kube-apiserver", "directly"},
		rows: []row{{
			what: "our part, p50", unit: seconds, target: ownPart,
			ours:   mapped(measured, latencies.ownPart),
			theirs: mapped(measured, func(l latencies) float64 { return l[oursDirect] }),
		}},
	}
}

package allocation_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	api "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
)

// demand is a request that executes or waits from one time to another.
type demand struct {
	level       string
	from, until time.Duration // since the start
	seats       int
}

// randomTraffic returns demand of up to about twice the seats of each limited
// level. It includes idle levels, bursts, and requests that outlast periods,
// and with exemptToo also demand of the exempt level.
func randomTraffic(random *rand.Rand, s site, exemptToo bool) []demand {
	var all []demand
	for _, l := range s.levels {
		if l.name == exempt && !exemptToo {
			continue
		}
		share := 2 * float64(s.total) / float64(len(s.levels))
		if l.name == exempt {
			share = 2 * float64(s.total)
		}
		for period := range periods {
			if random.IntN(3) == 0 {
				continue
			}
			begin := time.Duration(period) * allocation.Period
			longest := time.Duration(1+random.IntN(15)) * time.Second
			for wanted := int(share * random.Float64()); wanted > 0; {
				d := demand{
					level: l.name,
					from:  begin + randomDuration(random, allocation.Period),
					seats: 1 + random.IntN(min(10, wanted)),
				}
				d.until = d.from + randomDuration(random, longest)
				wanted -= d.seats
				all = append(all, d)
			}
		}
	}
	return all
}

// randomDuration returns a positive duration below the limit. Its resolution of
// a nanosecond makes simultaneous events improbable.
func randomDuration(random *rand.Rand, limit time.Duration) time.Duration {
	return 1 + time.Duration(random.Int64N(int64(limit-1)))
}

// play sends the demand to all engines and calls judge with the number of the
// period after each period's division.
func play(t *testing.T, engines []member, all []demand, judge func(period int)) {
	t.Helper()
	// The first period is idle: this engine's period begins when it is created,
	// the library's when it runs.
	begin := time.Now().Add(allocation.Period)
	var running sync.WaitGroup
	defer running.Wait()
	for _, d := range all {
		for _, e := range engines {
			running.Go(func() { d.play(e, begin) })
		}
	}
	for period := 1; period <= periods; period++ {
		<-time.After(time.Until(begin.Add(time.Duration(period) * allocation.Period)))
		synctest.Wait()
		judge(period)
	}
}

func (d demand) play(e flowcontrol.Interface, begin time.Time) {
	<-time.After(time.Until(begin.Add(d.from)))
	// No deadline: an engine may refuse who would execute until then.
	ctx, cancel := context.WithCancel(context.Background())
	defer time.AfterFunc(time.Until(begin.Add(d.until)), cancel).Stop()
	defer cancel()
	digest := flowcontrol.RequestDigest{
		RequestInfo: &request.RequestInfo{Verb: "get", Path: "/"},
		User:        &user.DefaultInfo{Name: d.level},
	}
	e.Handle(ctx, digest,
		func(*api.FlowSchema, *api.PriorityLevelConfiguration, string) {},
		func() fcrequest.WorkEstimate { return fcrequest.WorkEstimate{InitialSeats: uint64(d.seats)} },
		func(bool) {},
		func() { <-ctx.Done() })
}

package size

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// Measured is what two scrapes of the same API servers say.
type Measured struct {
	// Servers are the names of the API servers, sorted; Elapsed is the time between the
	// scrapes.
	Servers []string
	Elapsed time.Duration
	// By says what Elapsed is known by if it may be wrong.
	By string
	// Notes are sentences about what was left out.
	Notes []string

	streams []stream
	// watermark is the largest demand of a level on one server, counts the requests of a
	// level between the scrapes on all of them.
	watermark map[string]int
	counts    map[string]uint64
}

// stream is the requests of a flow schema on one server.
type stream struct {
	server, level, schema string
	perSecond             float64
	execution, width      replica.Histogram
}

// Measure compares two scrapes. Servers are the same if their processes started at the same
// time or, if that is unknown, if they have the same name. elapsed is the time between the
// scrapes; 0 if they tell it. It is an error if nothing can be said.
func Measure(before, after []replica.Replica, elapsed time.Duration, c configuration.Configuration) (*Measured, error) {
	m := &Measured{watermark: map[string]int{}, counts: map[string]uint64{}, Elapsed: elapsed}
	limited := c.WithMandatory().Settings()
	var left []string
	for i := range after {
		now := &after[i]
		then, why := partner(before, now)
		if why != "" {
			left = append(left, now.Name+" "+why)
			continue
		}
		if err := m.takeTime(then, now); err != nil {
			return nil, err
		}
		if why := m.add(then, now, limited); why != "" {
			left = append(left, now.Name+" "+why)
		}
	}
	slices.Sort(m.Servers)
	switch {
	case len(m.Servers) == 0 && len(left) > 0:
		return nil, fmt.Errorf("the two scrapes have no API server in common: %s", strings.Join(left, "; "))
	case len(m.Servers) == 0:
		return nil, errors.New("there are no metrics of an API server to compare")
	case len(m.streams) == 0:
		return nil, fmt.Errorf("no request that takes seats arrived in the %s between the scrapes: there is nothing to size", m.Elapsed)
	case len(left) > 0:
		m.Notes = append(m.Notes, "API servers are left out, which may need more: "+strings.Join(left, "; ")+".")
	}
	return m, nil
}

// partner returns the earlier state of a server, or why there is none.
func partner(before []replica.Replica, now *replica.Replica) (then *replica.Replica, why string) {
	if now.Away || len(now.Metrics.Schemas) == 0 {
		return nil, "has no metrics in the later scrape"
	}
	same := func(b replica.Replica) bool { return b.Name == now.Name }
	if start := now.Metrics.ProcessStart; start != 0 && hasStart(before) {
		same = func(b replica.Replica) bool { return b.Metrics.ProcessStart == start }
	} else if len(before) == 1 {
		same = func(replica.Replica) bool { return true }
	}
	at := slices.IndexFunc(before, same)
	switch {
	case at < 0 && hasStart(before):
		return nil, "started at another time than those in the earlier scrape: it was restarted, or is another API server"
	case at < 0:
		return nil, "is not in the earlier scrape"
	case len(before[at].Metrics.Schemas) == 0:
		return nil, "has no metrics in the earlier scrape"
	default:
		return &before[at], ""
	}
}

// hasStart reports whether it is known when the processes started.
func hasStart(states []replica.Replica) bool {
	return slices.ContainsFunc(states, func(r replica.Replica) bool { return r.Metrics.ProcessStart != 0 })
}

// takeTime sets the time between the scrapes, unless it is known: by the time that the server observed its
// levels, otherwise by when the scrapes were read.
func (m *Measured) takeTime(then, now *replica.Replica) error {
	if m.Elapsed == 0 {
		m.Elapsed = observed(then, now)
	}
	if m.Elapsed == 0 {
		m.Elapsed = now.Read.Sub(then.Read).Round(time.Second)
		if now.Taken.IsZero() || !now.Taken.Equal(now.Read) {
			m.By = ", by the dates of the files, which copying them may change (--interval names the time)"
		}
	}
	if m.Elapsed <= 0 {
		return fmt.Errorf("the scrapes of %s are %s apart: the later one must be later. --interval sets the time between them if the times of the files are wrong", now.Name, m.Elapsed)
	}
	return nil
}

// observed returns for how long a server observed its levels between two scrapes; 0 if that is unknown.
func observed(then, now *replica.Replica) (longest time.Duration) {
	for name, level := range now.Metrics.Levels {
		if before := then.Metrics.Levels[name].Observed; before > 0 {
			longest = max(longest, level.Observed-before)
		}
	}
	return longest.Round(time.Millisecond)
}

// add adds what a server did between two scrapes, or returns why it is left out.
func (m *Measured) add(then, now *replica.Replica, limited configuration.Settings) (why string) {
	var streams []stream
	for key, after := range now.Metrics.Schemas {
		before := then.Metrics.Schemas[key]
		arrived, ok := added(&before, &after)
		switch {
		case !ok:
			return "counts less in the later scrape: it was restarted, or the scrapes are in the wrong order"
		case arrived == 0 || limited[key.Level] == nil:
			continue
		case after.Execution.Count == 0:
			return "has no apiserver_flowcontrol_request_execution_seconds: how long requests take is unknown"
		}
		m.counts[key.Level] += arrived
		streams = append(streams, stream{
			server: now.Name, level: key.Level, schema: key.FlowSchema, perSecond: float64(arrived) / m.Elapsed.Seconds(),
			execution: after.Execution.Since(before.Execution), width: after.Width.Since(before.Width),
		})
	}
	slices.SortFunc(streams, func(a, b stream) int { return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.schema, b.schema)) })
	m.Servers, m.streams = append(m.Servers, now.Name), append(m.streams, streams...)
	for name, level := range now.Metrics.Levels {
		if limited[name] != nil {
			most := max(ptr.Deref(level.DemandHighWatermark, 0), ptr.Deref(then.Metrics.Levels[name].DemandHighWatermark, 0))
			m.watermark[name] = max(m.watermark[name], int(math.Ceil(most)))
		}
	}
	return ""
}

// added returns how many requests arrived between two scrapes; false if a counter fell.
func added(before, after *replica.SchemaMetrics) (arrived uint64, ok bool) {
	dispatched, then := ptr.Deref(after.Dispatched, 0), ptr.Deref(before.Dispatched, 0)
	if dispatched < then || after.Execution.Count < before.Execution.Count || after.Width.Count < before.Width.Count {
		return 0, false
	}
	arrived = dispatched - then
	for reason, was := range before.Rejected {
		if after.Rejected[reason] < was {
			return 0, false
		}
	}
	for reason, is := range after.Rejected {
		arrived += is - before.Rejected[reason]
	}
	return arrived, true
}

// Widen widens ranges by what rates do not show: their error, and the high watermarks.
func (m *Measured) Widen(s *Size) {
	var all uint64
	sum, above := 0, []string{}
	for i := range s.Levels {
		l := &s.Levels[i]
		if l.Need == nil {
			continue
		}
		all += m.counts[l.Name]
		l.Need.widen(m.counts[l.Name])
		mark := m.watermark[l.Name]
		sum += mark
		if mark > l.Need.High {
			above = append(above, fmt.Sprintf("%s %d", l.Name, mark))
			l.Need.High = mark
		}
	}
	s.Need.widen(all)
	s.Need.include(max(s.Need.Seats, sum))
	if len(above) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("Requests come in bursts that rates do not show. The high watermark of demand, in the 10 s before a scrape, is the upper end of the range of these levels: %s. With a trace instead of two scrapes, bursts count.", strings.Join(above, ", ")))
	}
	s.decide()
}

// widen widens the range by the error of a rate that n requests give, at 95 %.
func (s *Seats) widen(n uint64) {
	part := 1.96 / math.Sqrt(float64(max(n, 1)))
	s.Low = max(1, int(float64(s.Low)*(1-part)))
	s.High = int(math.Ceil(float64(s.High) * (1 + part)))
}

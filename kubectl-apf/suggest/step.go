package suggest

import (
	"cmp"
	"fmt"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
)

const (
	// maxDonors is the number of levels, those with most unused seats, that a level may get
	// seats of.
	maxDonors = 3
	// maxQueues and maxHand bound the queues and the hands: with both, the number of hands
	// is still less than 2^60, as the API demands.
	maxQueues, maxHand = 512, 6
	// maxLength bounds the length of a queue.
	maxLength = 10_000
)

// step is a change of one setting. It does nothing if it does not apply any more.
type step struct {
	text  string
	apply func(levels configuration.Settings)
}

// applied returns a configuration after steps.
func applied(c configuration.Configuration, steps []step) configuration.Configuration {
	return c.Changed(func(levels configuration.Settings) {
		for _, s := range steps {
			s.apply(levels)
		}
	})
}

// steps returns the steps that may bring a level closer to a goal.
func steps(c configuration.Configuration, r *simulate.Result, target string, protected map[string]bool) []step {
	settings := c.Settings()
	if settings[target] == nil || protected[target] {
		return nil
	}
	var out []step
	for _, donor := range donors(settings, r, target, protected) {
		out = append(out, move(donor, target, 4), move(donor, target, 2))
		if ptr.Deref(settings[donor].LendablePercent, 0) < 100 {
			out = append(out, lend(donor, min(100, ptr.Deref(settings[donor].LendablePercent, 0)+25)))
		}
	}
	if now := ptr.Deref(settings[target].LendablePercent, 0); now > 0 {
		out = append(out, lend(target, now/2))
	}
	if settings[target].BorrowingLimitPercent != nil {
		out = append(out, step{target + ": no borrowingLimitPercent", func(l configuration.Settings) {
			l[target].BorrowingLimitPercent = nil
		}})
	}
	if queuing := settings[target].LimitResponse.Queuing; queuing != nil {
		out = append(out, queueSteps(target, *queuing)...)
	}
	return out
}

// donors returns the levels that could give seats, those with most unused seats first.
func donors(settings configuration.Settings, r *simulate.Result, target string, protected map[string]bool) []string {
	var names []string
	unused := map[string]float64{}
	for i := range r.Levels {
		l := &r.Levels[i]
		if l.Name == target || protected[l.Name] || settings[l.Name] == nil {
			continue
		}
		names = append(names, l.Name)
		unused[l.Name] = float64(l.Nominal) - l.Seats.Mean
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(unused[b], unused[a]) })
	return names[:min(len(names), maxDonors)]
}

// move moves a part of the shares of a level to another one.
func move(from, to string, part int32) step {
	return step{fmt.Sprintf("1/%d of the shares of %s to %s", part, from, to), func(l configuration.Settings) {
		had, got := l.Shares(from), l.Shares(to)
		had, got = had-had/part, got+had/part
		l[from].NominalConcurrencyShares, l[to].NominalConcurrencyShares = &had, &got
	}}
}

func lend(level string, percent int32) step {
	return step{fmt.Sprintf("%s: lendablePercent %d", level, percent), func(l configuration.Settings) {
		l[level].LendablePercent = &percent
	}}
}

// queueSteps returns the steps that change the queues of a level.
func queueSteps(level string, now flowcontrolv1.QueuingConfiguration) []step {
	var out []step
	add := func(q flowcontrolv1.QueuingConfiguration) {
		if q == now || q.Queues > maxQueues || q.HandSize < 1 || q.HandSize > min(maxHand, q.Queues) || q.QueueLengthLimit < 1 || q.QueueLengthLimit > maxLength {
			return
		}
		text := fmt.Sprintf("%s: %d queues, handSize %d, queueLengthLimit %d", level, q.Queues, q.HandSize, q.QueueLengthLimit)
		out = append(out, step{text, func(l configuration.Settings) {
			*l[level].LimitResponse.Queuing = q
		}})
	}
	for _, change := range []func(*flowcontrolv1.QueuingConfiguration){
		func(q *flowcontrolv1.QueuingConfiguration) { q.Queues *= 2 },
		func(q *flowcontrolv1.QueuingConfiguration) { q.HandSize++ },
		func(q *flowcontrolv1.QueuingConfiguration) { q.HandSize-- },
		func(q *flowcontrolv1.QueuingConfiguration) { q.QueueLengthLimit /= 2 },
		func(q *flowcontrolv1.QueuingConfiguration) { q.QueueLengthLimit *= 2 },
	} {
		q := now
		change(&q)
		add(q)
	}
	return out
}

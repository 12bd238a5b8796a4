package size

import (
	"context"
	"fmt"
	"math"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/suggest"
)

// doublings is how often a total is doubled that gives each level what it uses without
// limits, and is too small because levels lend seats.
const doublings = 5

// total searches the total that the requests need.
func (s *search) total(ctx context.Context) (seats, error) {
	top, err := s.highest(ctx)
	if err != nil {
		return 0, err
	}
	b := newBracket(top)
	for !b.done() {
		points := b.points(side)
		holds, err := s.totalsHold(ctx, points)
		if err != nil {
			return 0, err
		}
		b.narrow(points, func(i int) bool { return holds[i] })
	}
	return seats(b.high), nil
}

// highest returns a total that meets the goals.
func (s *search) highest(ctx context.Context) (int, error) {
	top := s.ample()
	for range doublings + 1 {
		holds, err := s.totalsHold(ctx, []int{top})
		if err != nil || holds[0] {
			return top, err
		}
		top *= 2
	}
	return 0, s.impossible(ctx, top/2)
}

// impossible says which goal is not met with a total.
func (s *search) impossible(ctx context.Context, total int) error {
	c := s.base
	c.Total = total
	results, err := s.simulate(ctx, c)
	if err != nil {
		return err
	}
	for name, goals := range s.ofLevel {
		for _, goal := range goals {
			if v := goal.Check(results[0]); !v.Holds {
				return fmt.Errorf("%d seats do not meet the goal %q, and more will not: it is %s. The priority level %q would not lack seats if it kept them: lower its lendablePercent, or give it shares",
					total, goal, v.Text(), name)
			}
		}
	}
	return fmt.Errorf("%d seats meet the goals, and did not before: the simulation is not deterministic", total)
}

// totalsHold reports for each total whether it meets the goals.
func (s *search) totalsHold(ctx context.Context, totals []int) ([]bool, error) {
	tries := make([]configuration.Configuration, len(totals))
	for i, total := range totals {
		tries[i] = s.base
		tries[i].Total = total
	}
	results, err := s.simulate(ctx, tries...)
	if err != nil {
		return nil, err
	}
	holds := make([]bool, len(totals))
	for i, r := range results {
		holds[i] = true
		for _, goals := range s.ofLevel {
			holds[i] = holds[i] && allHold(goals, r)
		}
	}
	return holds, nil
}

// ample returns a total that gives each level the seats that it uses without limits.
func (s *search) ample() int {
	settings, sum := suggest.SettingsOf(s.base), sumOfShares(s.base)
	total := 1.0
	for i := range s.free.Levels {
		l := &s.free.Levels[i]
		if setting := settings[l.Name]; setting != nil && suggest.SharesOf(setting) > 0 {
			total = max(total, l.Seats.Max*float64(sum)/float64(suggest.SharesOf(setting)))
		}
	}
	return int(math.Ceil(total))
}

func sumOfShares(c configuration.Configuration) (sum int64) {
	for _, l := range c.PriorityLevels {
		switch {
		case l.Spec.Limited != nil:
			sum += int64(suggest.SharesOf(l.Spec.Limited))
		case l.Spec.Exempt != nil && l.Spec.Exempt.NominalConcurrencyShares != nil:
			sum += int64(*l.Spec.Exempt.NominalConcurrencyShares)
		}
	}
	return max(sum, 1)
}

// nominalLimits returns the nominal limits of the limited levels; none without a total.
func nominalLimits(c configuration.Configuration, total int) map[string]int {
	limits := map[string]int{}
	if total <= 0 {
		return limits
	}
	sum := sumOfShares(c)
	for name, l := range suggest.SettingsOf(c) {
		limits[name] = int((int64(total)*int64(suggest.SharesOf(l)) + sum - 1) / sum)
	}
	return limits
}

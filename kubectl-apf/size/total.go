package size

import (
	"context"
	"fmt"
	"math"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
)

// doublings is how often a total is doubled that gives each level what it uses without
// limits, and is too small because levels lend seats.
const doublings = 5

// total searches the total that the requests need.
func (s *search) total(ctx context.Context) (int, error) {
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
	return b.high, nil
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
			if v := goal.Check(&results[0]); !v.Holds {
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
	for i := range results {
		holds[i] = true
		for _, goals := range s.ofLevel {
			holds[i] = holds[i] && allHold(goals, &results[i])
		}
	}
	return holds, nil
}

// ample returns a total that gives each level the seats that it uses without limits.
func (s *search) ample() int {
	settings, sum := s.base.Settings(), configuration.SumOfShares(s.base.PriorityLevels)
	total := 1.0
	for i := range s.free.Levels {
		l := &s.free.Levels[i]
		if shares := settings.Shares(l.Name); shares > 0 {
			total = max(total, l.Seats.Max*float64(sum)/float64(shares))
		}
	}
	return int(math.Ceil(total))
}

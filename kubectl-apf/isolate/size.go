package isolate

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/top"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

const (
	// spare is what a level gets beyond the peak of a log, as a part of it.
	spare = 0.25
	// assumedPart is the part of a server's seats that an operator needs, without a log.
	assumedPart = 1.0 / 30
	// fewest are the seats of the smallest level: with one, a slow request delays all others.
	fewest = 2
)

// size is how many seats the new level gets, and from where.
type size struct {
	seats  int
	shares int32
	why    []string
	// donor is the level that gives the shares, with the shares that it keeps.
	donor    *flowcontrolv1.PriorityLevelConfiguration
	donorWhy []string
}

// ratio turns shares into nominal seats, see package allocation.
type ratio struct{ total, sum int64 }

func (r ratio) seats(shares int32) int { return int((r.total*int64(shares) + r.sum - 1) / r.sum) }

// shares returns the fewest shares that give at least this number of seats.
func (r ratio) shares(seats int) int32 { return int32(int64(seats-1)*r.sum/r.total) + 1 }

// isProtected reports whether a level gives no shares.
func isProtected(level string) bool { return slices.Contains(configuration.ProtectedLevels(), level) }

// findSize returns the size of the level.
func (p *plan) findSize() (size, error) {
	r := ratio{total: int64(cmp.Or(p.Configuration.Total, configuration.DefaultTotal))}
	for _, level := range p.current.levels {
		r.sum += int64(level.Config.Shares)
	}
	needed, why := p.need(int(r.total))
	if needed < fewest {
		return size{}, fmt.Errorf("--seats is %d: must be at least %d, since with one seat a slow request delays all others", needed, fewest)
	}
	s := size{shares: r.shares(needed), why: []string{why}}
	s.seats = r.seats(s.shares)
	return s, p.findDonor(&s, r, needed)
}

// need returns the seats that the operator needs on one API server, and why.
func (p *plan) need(total int) (seats int, why string) {
	switch {
	case p.Seats != 0:
		return p.Seats, fmt.Sprintf("It needs %d seats of one API server: --seats says so.", p.Seats)
	case p.usage.peak > 0:
		seats = max(fewest, int(math.Ceil((1+spare)*float64(p.usage.peak))))
		return seats, fmt.Sprintf("It needs %d seats of one API server: its requests in the log held %d at once, and a quarter more is to spare.", seats, p.usage.peak)
	default:
		seats = max(fewest, int(math.Round(assumedPart*float64(total))))
		unknown := "a log says how many its requests hold"
		if p.usage.requests > 0 {
			unknown = "the log does not say how many its requests hold"
		}
		return seats, fmt.Sprintf("It needs %d seats of one API server: this is assumed, a thirtieth of %d; %s, and --seats names another number.", seats, total, unknown)
	}
}

// free is how many seats a level can give.
type free struct {
	level          string
	nominal, seats int
	why            string
}

// findDonor sets the level that gives the shares: the first that can.
func (p *plan) findDonor(s *size, r ratio, needed int) error {
	candidates, err := p.freeSeats()
	if err != nil {
		return err
	}
	texts := make([]string, len(candidates))
	for i, c := range candidates {
		before := p.current.levels[c.level].Config.Shares
		at := slices.IndexFunc(p.Configuration.PriorityLevels, func(l *flowcontrolv1.PriorityLevelConfiguration) bool { return l.Name == c.level })
		if kept := before - s.shares; at >= 0 && kept > 0 && c.nominal-r.seats(kept) <= c.seats {
			p.take(s, r, &c, p.Configuration.PriorityLevels[at], kept)
			return nil
		}
		texts[i] = fmt.Sprintf("%s has %d of %d seats to give", c.level, c.seats, c.nominal)
	}
	return fmt.Errorf("no priority level has %d seats to give: %s; give fewer by --seats, or raise the seats of the API server, now %d", needed, strings.Join(texts, ", "), r.total)
}

// take takes the shares from a level, which keeps the others.
func (p *plan) take(s *size, r ratio, from *free, donor *flowcontrolv1.PriorityLevelConfiguration, kept int32) {
	s.donor = donor.DeepCopy()
	s.donor.Spec.Limited.NominalConcurrencyShares = &kept
	s.why = append(s.why, fmt.Sprintf("It gets %d of %d shares, which are %d seats, from %s: all other levels keep their seats.", s.shares, r.sum, s.seats, from.level))
	s.donorWhy = []string{fmt.Sprintf("It keeps %d of %d shares. %s", kept, kept+s.shares, from.why)}
	if p.standard().hasLevel(from.level) {
		if s.donor.Annotations == nil {
			s.donor.Annotations = map[string]string{}
		}
		s.donor.Annotations[flowcontrolv1.AutoUpdateAnnotationKey] = "false"
		s.donorWhy = append(s.donorWhy, "The annotation keeps the API server from restoring the shares; updates of Kubernetes no longer change this level.")
	}
}

// freeSeats returns what levels can give, the most first. Without figures the level comes first
// that loses the operator's requests.
func (p *plan) freeSeats() ([]free, error) {
	demands := p.demands()
	var all []free
	for _, name := range slices.Sorted(maps.Keys(p.current.levels)) {
		level := p.current.levels[name]
		if level.Config.Discipline != queueset.Exempt && !isProtected(name) && level.Config.Shares > 0 {
			all = append(all, p.freeOf(name, level.Limits.Nominal, demands))
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no priority level can give seats: the cluster itself depends on every level")
	}
	today := p.current.levelOf(p.accounts[0])
	slices.SortStableFunc(all, func(a, b free) int {
		switch {
		case len(demands) > 0 || a.level != today && b.level != today:
			return cmp.Compare(b.seats, a.seats)
		case a.level == today:
			return -1
		default:
			return 1
		}
	})
	return all, nil
}

// freeOf returns what a level can give.
func (p *plan) freeOf(name string, nominal int, demands []map[string]int) free {
	f := free{level: name, nominal: nominal}
	if len(demands) > 0 {
		used := 0
		for _, of := range demands {
			used = max(used, of[name])
		}
		f.seats = nominal - used
		f.why = fmt.Sprintf("When it was read, it needed %d of its %d seats on the busiest API server: repeat this when the cluster is busy.", used, nominal)
	} else {
		f.seats = nominal / 2
		f.why = fmt.Sprintf("Half of its %d seats are assumed to be unused: neither metrics nor dumps say how many are.", nominal)
	}
	f.seats = max(0, min(f.seats, p.keepsHalf(name, nominal)))
	return f
}

// demands returns the seats that the levels of each API server need, by name; none without
// figures.
func (p *plan) demands() (all []map[string]int) {
	for i := range p.Replicas {
		if of := demandsOf(&p.Replicas[i]); len(of) > 0 {
			all = append(all, of)
		}
	}
	return all
}

// demandsOf returns the demand of the last period by the metrics or, without them, the seats
// in use by the dumps, and one for each request that waits.
func demandsOf(r *replica.Replica) map[string]int {
	of := map[string]int{}
	for name, m := range r.Metrics.Levels {
		of[name] = max(m.SeatsInUse, int(math.Ceil(max(m.DemandHighWatermark, m.DemandSmoothed))))
	}
	if len(of) > 0 {
		return of
	}
	levels, _ := top.OfLevels([]replica.Replica{*r}, nil, top.Options{}) // these options are valid
	for i := range levels.Levels {
		l := &levels.Levels[i]
		of[l.Name] = max(l.Executing, ptr.Deref(l.SeatsInUse, 0)) + l.Waiting
	}
	return of
}

// keepsHalf returns how many seats a level may give so that a built-in one keeps half of its
// default seats.
func (p *plan) keepsHalf(name string, nominal int) int {
	if standard, known := p.standard().levels[name]; known {
		return nominal - (standard.Limits.Nominal+1)/2
	}
	return nominal
}

// standard are the built-in objects of the release alone.
func (p *plan) standard() *inForce {
	if p.builtIn == nil {
		c, _ := configuration.BuiltIn(p.Configuration.Release) // an unknown release has only the mandatory ones
		c.Total = p.Configuration.Total
		p.builtIn = newInForce(c, p.Now)
	}
	return p.builtIn
}

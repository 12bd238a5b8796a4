package size

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
)

// Options are what is sized.
type Options struct {
	// Simulate says how requests are simulated, and opens them.
	Simulate simulate.Options
	// Goals are what has to hold.
	Goals []*simulate.Assertion
	// Have is the number of seats of one API server; 0 if unknown.
	Have int
	// Assumed reports that Have is what a server has without flags.
	Assumed bool
	// Replicas is the number of API servers if more of them exist than requests are of; 0 if
	// not.
	Replicas int
	// Basis says in a few words what the requests are.
	Basis string
	// Notes are sentences about the requests. Unless nil, they replace the simulations' notes.
	Notes []string
}

// Size is how many seats an API server needs.
type Size struct {
	// Basis says in a few words what the requests are.
	Basis string `json:"basis"`
	// Goals are what has to hold, for each level if they have no scope.
	Goals []string `json:"goals"`
	// Replicas is the number of API servers. Seats are one server's.
	Replicas int `json:"replicas"`
	// Requests is the number of requests that were simulated, LeftOut of the ones that could not
	// be, and Seconds how long they took.
	Requests uint64  `json:"requests"`
	LeftOut  int64   `json:"leftOut,omitempty"`
	Seconds  float64 `json:"seconds"`
	// Need is the total with the shares of the configuration, Fitted the total without
	// lending and borrowing, with shares that follow the needs of the levels.
	Need   Seats `json:"need"`
	Fitted Seats `json:"fitted"`
	// Have is the total that there is, Enough whether it is enough; nil and "" if unknown.
	Have   *int   `json:"have,omitempty"`
	Enough Enough `json:"enough,omitempty"`
	// Assumed reports that Have is not known, but what a server has without flags.
	Assumed bool `json:"assumed,omitempty"`
	// Rejected is the number of requests that were rejected when they were recorded. Then seats that
	// are enough here are uncertain.
	Rejected int64 `json:"rejected,omitempty"`
	// Levels are the priority levels, by name.
	Levels []Level `json:"priorityLevels"`
	// Flags are null if there are too few requests for an advice.
	Flags *Flags `json:"flags"`
	// Parts is the number of parts that were sized alone; without any there is no range.
	Parts int `json:"parts"`
	// Simulations is the number of simulations that it took.
	Simulations int `json:"simulations"`
	// Notes are sentences about what was assumed, guessed or left out.
	Notes []string `json:"notes,omitempty"`
}

// Seats is a number of seats of one API server, and its range of uncertainty.
type Seats struct {
	Seats int `json:"seats"`
	// Low and High are Seats if there is no range.
	Low  int `json:"low"`
	High int `json:"high"`
}

func exactly(seats int) Seats { return Seats{seats, seats, seats} }

// Level is a priority level.
type Level struct {
	Name string `json:"name"`
	// Exempt levels take no seats from the total.
	Exempt bool `json:"exempt,omitempty"`
	// Requests are all API servers', PerSecond their rate; null if they are of less than a second.
	Requests  uint64   `json:"requests"`
	PerSecond *float64 `json:"perSecond"`
	// Mean and Most are the seats in use at all API servers if nothing is limited.
	Mean float64 `json:"mean"`
	Most float64 `json:"most"`
	// Need is the limit that the level needs; nil if it is exempt or has no requests.
	Need *Seats `json:"need,omitempty"`
	// Have is its nominal limit with the total that there is; nil if that is unknown.
	Have *int `json:"have,omitempty"`
	// Shares are the configuration's.
	Shares int32 `json:"shares"`
}

// Enough says whether seats are enough.
type Enough string

// Enough is Uncertain if the seats are within the range.
const (
	Yes       Enough = "yes"
	No        Enough = "no"
	Uncertain Enough = "uncertain"
)

// enough compares seats with what is needed.
func (s Seats) enough(have int) Enough {
	switch {
	case have >= s.High:
		return Yes
	case have < s.Low:
		return No
	default:
		return Uncertain
	}
}

// include widens the range so that it has another number.
func (s *Seats) include(seats int) { s.Low, s.High = min(s.Low, seats), max(s.High, seats) }

// Run sizes requests. It is an error if no number of seats meets the goals.
func Run(ctx context.Context, options Options, c configuration.Configuration) (*Size, error) {
	if err := checkGoals(options.Goals); err != nil {
		return nil, err
	}
	times, err := survey(options.Simulate)
	if err != nil {
		return nil, err
	}
	s := &search{options: options.Simulate, base: c.WithMandatory(), goals: options.Goals}
	if err := s.unlimited(ctx); err != nil {
		return nil, err
	}
	whole, err := s.need(ctx)
	if err != nil {
		return nil, err
	}
	out := s.size(options, whole)
	for _, part := range times.parts() {
		s.options.Open = part.open(options.Simulate.Open)
		need, err := s.need(ctx)
		if err != nil {
			return nil, err
		}
		out.include(need)
	}
	out.noteIdle()
	out.Notes = append(out.Notes, times.note(out.Parts))
	out.Simulations = s.ran
	out.decide()
	return out, nil
}

func checkGoals(goals []*simulate.Assertion) error {
	if len(goals) == 0 {
		return errors.New("there is no goal to size for")
	}
	for _, goal := range goals {
		if !goal.BoundsLack() {
			return fmt.Errorf("the goal %q must be an upper bound on waits or rejections, such as \"wait.p99 < 100ms\" or \"rejected == 0\": more seats cannot meet another one", goal)
		}
	}
	return nil
}

// size returns the answer without ranges.
func (s *search) size(options Options, whole *need) *Size {
	r := s.free
	out := &Size{
		Basis: options.Basis, Replicas: max(r.Replicas, options.Replicas), Requests: r.Requests, LeftOut: r.LeftOut, Seconds: r.Seconds, Rejected: s.rejected,
		Need: exactly(whole.total), Notes: slices.Clone(r.Notes),
	}
	if options.Notes != nil {
		out.Notes = slices.Clone(options.Notes)
	}
	for _, goal := range options.Goals {
		out.Goals = append(out.Goals, goal.String())
	}
	settings, nominal := s.base.Settings(), map[string]int{}
	if options.Have > 0 {
		out.Have, out.Assumed = &options.Have, options.Assumed
		base := s.base
		base.Total = options.Have
		nominal = base.NominalLimits()
	}
	for i := range r.Levels {
		of := &r.Levels[i]
		l := Level{Name: of.Name, Requests: of.Requests, Mean: of.Seats.Mean, Most: of.Seats.Max}
		if r.Seconds >= 1 {
			l.PerSecond = new(float64(of.Requests) / r.Seconds)
		}
		if settings[of.Name] == nil {
			l.Exempt = true
		} else {
			l.Shares = settings.Shares(of.Name)
			if have, known := nominal[of.Name]; known {
				l.Have = &have
			}
			if seats, known := whole.levels[of.Name]; known {
				l.Need = new(exactly(seats))
			}
		}
		out.Levels = append(out.Levels, l)
	}
	return out
}

// include widens the ranges by what a part needs.
func (s *Size) include(part *need) {
	s.Parts++
	s.Need.include(part.total)
	for i := range s.Levels {
		if l := &s.Levels[i]; l.Need != nil {
			l.Need.include(part.levels[l.Name])
		}
	}
}

// decide sets what follows from the needs.
func (s *Size) decide() {
	s.Fitted = Seats{}
	governed := uint64(0)
	for i := range s.Levels {
		l := &s.Levels[i]
		if !l.Exempt {
			governed += l.Requests
		}
		switch {
		case l.Exempt:
		case l.Need == nil:
			s.Fitted = s.Fitted.plus(exactly(1))
		default:
			s.Fitted = s.Fitted.plus(*l.Need)
		}
	}
	s.noteNarrow()
	s.Flags = flagsFor(s.Need, governed)
	if s.Have != nil {
		s.Enough = s.Need.enough(*s.Have)
		if s.Rejected > 0 && s.Enough == Yes {
			s.Enough = Uncertain
		}
	}
}

// noteIdle says which levels are not in the numbers.
func (s *Size) noteIdle() {
	var idle []string
	for i := range s.Levels {
		if l := &s.Levels[i]; !l.Exempt && l.Requests == 0 {
			idle = append(idle, l.Name)
		}
	}
	if len(idle) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("What these levels need is unknown: no request was theirs: %s.", strings.Join(idle, ", ")))
	}
}

// noteNarrow says which levels need fewer seats than are in use without limits.
func (s *Size) noteNarrow() {
	for i := range s.Levels {
		l := &s.Levels[i]
		note := fmt.Sprintf("The level %s needs fewer seats than it uses without limits: a request takes at most 15 %% of the nominal limit of its level. So wide lists take fewer seats of a small level than they cost the server.", l.Name)
		if l.Need != nil && float64(l.Need.Seats*s.Replicas) < l.Mean && !slices.Contains(s.Notes, note) {
			s.Notes = append(s.Notes, note)
		}
	}
}

func (s Seats) plus(other Seats) Seats {
	return Seats{s.Seats + other.Seats, s.Low + other.Low, s.High + other.High}
}

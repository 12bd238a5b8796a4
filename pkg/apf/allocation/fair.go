package allocation

// part is one limited level in the search for the fair fraction. Units are seats.
type part struct {
	level        int // index into the levels
	target       float64
	lower, upper float64
	fixed        bool
	seats        float64
	least        int // minimum after rounding
}

// fairFraction returns f and sets the seats of each part to
// clamp(f · target, lower, upper). They sum to rest, or to the sum of the upper bounds
// if that is less. rest must be at least the sum of the lower bounds.
func fairFraction(rest float64, parts []part) float64 {
	fraction := 0.0
	for {
		free, targets := rest, 0.0
		for _, p := range parts {
			if p.fixed {
				free -= p.seats
			} else {
				targets += p.target
			}
		}
		if targets == 0 {
			// Every level is at a bound.
			return fraction
		}
		fraction = max(0, free) / targets
		if !fixViolations(fraction, parts) {
			return fraction
		}
	}
}

// fixViolations clamps the free parts to their bounds and fixes those on the side
// where clamping moved more seats. It reports whether another round is needed.
func fixViolations(fraction float64, parts []part) bool {
	balance := 0.0
	for i := range parts {
		if p := &parts[i]; !p.fixed {
			want := fraction * p.target
			p.seats = min(max(want, p.lower), p.upper)
			balance += p.seats - want
		}
	}
	if balance == 0 {
		return false
	}
	changed := false
	for i := range parts {
		p := &parts[i]
		if p.fixed {
			continue
		}
		want := fraction * p.target
		if (balance > 0 && p.seats > want) || (balance < 0 && p.seats < want) {
			p.fixed = true
			changed = true
		}
	}
	return changed
}

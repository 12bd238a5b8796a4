package chaos

import (
	"fmt"
	"maps"
	"slices"
)

// Engine is the configuration that the engine of a server enforces.
type Engine struct {
	Server string
	// Seats are the nominal seats of each level by name.
	Seats map[string]int
}

// CheckEngines holds that all engines enforce the levels that are stored, with the same
// seats.
func CheckEngines(engines []Engine, stored []string) (errs []error) {
	slices.Sort(stored)
	for _, engine := range engines {
		levels := slices.Sorted(maps.Keys(engine.Seats))
		if !slices.Equal(levels, stored) {
			errs = append(errs, fmt.Errorf("the engine of %s enforces levels %v, and %v are stored", engine.Server, levels, stored))
		}
		if !maps.Equal(engine.Seats, engines[0].Seats) {
			errs = append(errs, fmt.Errorf("the engine of %s gives seats %v, and that of %s %v", engine.Server, engine.Seats, engines[0].Server, engines[0].Seats))
		}
	}
	return errs
}

package chaos

import (
	"fmt"
	"slices"
)

// Engine is the configuration that the engine of a server enforces.
type Engine struct {
	Server string
	// Hash identifies the enforced levels and schemas, with their specifications.
	Hash string
	// Levels are the names of the levels.
	Levels []string
}

// CheckEngines holds that all engines enforce the levels that are stored, and the same
// specifications of levels and schemas.
func CheckEngines(engines []Engine, stored []string) (errs []error) {
	stored = slices.Sorted(slices.Values(stored))
	for _, engine := range engines {
		levels := slices.Sorted(slices.Values(engine.Levels))
		if !slices.Equal(levels, stored) {
			errs = append(errs, fmt.Errorf("the engine of %s enforces the levels %v, and %v are stored", engine.Server, levels, stored))
		}
		if engine.Hash == "" || engine.Hash != engines[0].Hash {
			errs = append(errs, fmt.Errorf("the engine of %s enforces %q, and the engine of %s %q", engine.Server, engine.Hash, engines[0].Server, engines[0].Hash))
		}
	}
	return errs
}

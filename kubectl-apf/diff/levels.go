package diff

import (
	"maps"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// levels returns all levels, by name.
func (c *Comparison) levels() []Level {
	names := maps.Clone(c.before.Levels)
	maps.Copy(names, c.after.Levels)
	all := make([]Level, 0, len(names))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		level := Level{Name: name, Before: limitsOf(c.before.Levels, name), After: limitsOf(c.after.Levels, name)}
		if level.Before != nil {
			after := 0
			if level.After != nil {
				after = level.After.Nominal
			}
			level.LosesMoreThanHalf = 2*after < level.Before.Nominal
		}
		all = append(all, level)
	}
	return all
}

// limitsOf returns the limits of a level; nil if it does not exist.
func limitsOf(reports map[string]engine.LevelReport, name string) *Limits {
	r, exists := reports[name]
	if !exists {
		return nil
	}
	return &Limits{
		Type:       r.Config.Discipline.String(),
		Shares:     r.Config.Shares,
		Limits:     configuration.Limits(r.Limits),
		Lendable:   r.Limits.Nominal - r.Limits.Lower,
		Borrowable: max(0, r.Limits.Upper-r.Limits.Nominal),
	}
}

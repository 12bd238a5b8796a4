package configuration

import (
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/utils/ptr"
)

// defaultShares are the shares of a limited level that states none.
const defaultShares = 30

// Shares returns the nominal shares of a level.
func Shares(level *flowcontrolv1.PriorityLevelConfiguration) int64 {
	switch {
	case level.Spec.Limited != nil:
		return int64(ptr.Deref(level.Spec.Limited.NominalConcurrencyShares, defaultShares))
	case level.Spec.Exempt != nil:
		return int64(ptr.Deref(level.Spec.Exempt.NominalConcurrencyShares, 0))
	default:
		return 0
	}
}

// SumOfShares returns the nominal shares of all levels together.
func SumOfShares(levels []*flowcontrolv1.PriorityLevelConfiguration) (sum int64) {
	for _, level := range levels {
		sum += Shares(level)
	}
	return sum
}

// Settings are the settings of limited priority levels, by name.
type Settings map[string]*flowcontrolv1.LimitedPriorityLevelConfiguration

// Settings returns the settings of the levels that are limited.
func (c Configuration) Settings() Settings {
	out := Settings{}
	for _, l := range c.PriorityLevels {
		if l.Spec.Limited != nil {
			out[l.Name] = l.Spec.Limited
		}
	}
	return out
}

// Shares returns the nominal shares of a level; 0 if it is not limited.
func (s Settings) Shares(level string) int32 {
	if s[level] == nil {
		return 0
	}
	return ptr.Deref(s[level].NominalConcurrencyShares, defaultShares)
}

// Changed returns the configuration after a change. It leaves the given one as it is.
func (c Configuration) Changed(change func(Settings)) Configuration {
	levels := make([]*flowcontrolv1.PriorityLevelConfiguration, len(c.PriorityLevels))
	for i, l := range c.PriorityLevels {
		levels[i] = l.DeepCopy()
	}
	c.PriorityLevels = levels
	change(c.Settings())
	return c
}

// WithMandatory returns the configuration with the mandatory objects that it lacks, which a server
// creates.
func (c Configuration) WithMandatory() Configuration {
	schemas, levels := c.FlowSchemas, c.PriorityLevels
	c.FlowSchemas, c.PriorityLevels = bootstrap.MandatoryFlowSchemas, bootstrap.MandatoryPriorityLevelConfigurations
	return c.Overlay(schemas, levels)
}

// NominalLimits returns the nominal limits of the levels, in seats.
func (c Configuration) NominalLimits() map[string]int {
	e, _ := c.Engine(time.Time{}) // they do not depend on the time
	limits := map[string]int{}
	for _, level := range e.Report().Levels {
		limits[level.Config.Name] = level.Limits.Nominal
	}
	return limits
}

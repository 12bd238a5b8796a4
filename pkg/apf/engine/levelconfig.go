package engine

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// maxWidthFraction is the fraction of the nominal limit that one request may take.
const maxWidthFraction = 0.15

// LevelConfig is the configuration of one level.
type LevelConfig struct {
	Name, UID string
	// Config is the configuration of the queue set.
	queueset.Config
	// Share determines the limits of the level.
	allocation.Share
	// Ref is the API object, for the caller; the engine does not use it.
	Ref any
}

// Validate returns an error if the configuration is invalid.
func (c LevelConfig) Validate() error {
	switch {
	case c.Name == "":
		return errors.New("name must not be empty")
	case (c.Name == rules.Exempt) != (c.Discipline == queueset.Exempt):
		return fmt.Errorf("priority level %q has type %v: the level %q, and only that, must have type %v", c.Name, c.Discipline, rules.Exempt, queueset.Exempt)
	case c.Shares < 0:
		return fmt.Errorf("priority level %q has %d shares: must not be negative", c.Name, c.Shares)
	case c.LendablePercent < 0 || c.LendablePercent > 100:
		return fmt.Errorf("priority level %q has lendable percent %d: must be between 0 and 100", c.Name, c.LendablePercent)
	case c.BorrowingLimitPercent != nil && *c.BorrowingLimitPercent < 0:
		return fmt.Errorf("priority level %q has borrowing limit percent %d: must not be negative", c.Name, *c.BorrowingLimitPercent)
	}
	if err := c.Config.Validate(); err != nil {
		return fmt.Errorf("priority level %q: %w", c.Name, err)
	}
	return nil
}

// MaxWidth returns the largest work estimate of one request, in seats, on a level with
// the configuration c and a nominal limit; 0 if there is no bound.
func (c LevelConfig) MaxWidth(nominal int) int {
	if c.Discipline != queueset.Queue {
		return 0
	}
	return max(1, min(int(math.Ceil(float64(nominal)*maxWidthFraction)), nominal/c.HandSize))
}

// equal reports whether two configurations are the same. It may return false for equal
// ones.
func (c *LevelConfig) equal(other *LevelConfig) bool {
	return c.Name == other.Name && c.UID == other.UID && c.Config == other.Config && c.Share == other.Share &&
		reflect.ValueOf(c.Ref).Comparable() && reflect.ValueOf(other.Ref).Comparable() && c.Ref == other.Ref
}

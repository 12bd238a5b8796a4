package prioritylevel

import (
	"errors"
	"fmt"
	"math"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/mandatory"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// maxWidthPercent is the part of the nominal limit that one request may take.
const maxWidthPercent = 0.15

// Config is the configuration of one level, in plain values.
type Config struct {
	Name, UID string
	// Config says what happens to requests that find no seat.
	queueset.Config
	// Share says how many seats the level has.
	allocation.Share
	// Ref is carried along for the owner, who keeps the API object there.
	Ref any
}

// Validate says what is wrong with c, if anything.
func (c Config) Validate() error {
	switch {
	case c.Name == "":
		return errors.New("a priority level must have a name")
	case (c.Name == mandatory.Exempt) != (c.Discipline == queueset.Exempt):
		return fmt.Errorf("priority level %q is of type %v; %q, and no other, must be %v", c.Name, c.Discipline, mandatory.Exempt, queueset.Exempt)
	case c.Shares < 0:
		return fmt.Errorf("priority level %q has %d shares; they must not be negative", c.Name, c.Shares)
	case c.LendablePercent < 0 || c.LendablePercent > 100:
		return fmt.Errorf("priority level %q lends %d%%; it must be 0 to 100", c.Name, c.LendablePercent)
	case c.BorrowingLimitPercent != nil && *c.BorrowingLimitPercent < 0:
		return fmt.Errorf("priority level %q borrows %d%%; it must not be negative", c.Name, *c.BorrowingLimitPercent)
	}
	if err := c.Config.Validate(); err != nil {
		return fmt.Errorf("priority level %q: %w", c.Name, err)
	}
	return nil
}

// maxWidth returns the most seats that the estimate of one request should
// take on a level with the given nominal limit; 0 where nothing bounds it.
func (c Config) maxWidth(nominal int) int {
	if c.Discipline != queueset.Queue {
		return 0
	}
	return max(1, min(int(math.Ceil(float64(nominal)*maxWidthPercent)), nominal/c.HandSize))
}

package estimate

import "fmt"

// ListCost says what a list costs.
type ListCost string

// The values.
const (
	// CostByCount counts the objects that are read, as kube-apiserver up to 1.33.
	CostByCount ListCost = "count"
	// CostBySize counts the bytes in memory by a formula, as kube-apiserver since 1.34.
	CostBySize ListCost = "size"
	// CostLearned counts the bytes in memory that lists of the same kind took, see Learner.
	// The formula of CostBySize is the prior.
	CostLearned ListCost = "learned"

	// OwnCost is what lists of flowcontrol-apiserver cost without flags.
	OwnCost = CostLearned
)

// Validate returns an error that lists the values, unless c is one of them.
func (c ListCost) Validate() error {
	switch c {
	case CostByCount, CostBySize, CostLearned:
		return nil
	default:
		return fmt.Errorf("%s must be one of %s, %s, %s", c, CostByCount, CostBySize, CostLearned)
	}
}

package estimate

import (
	"fmt"
	"time"
)

// ListCost names an Estimator of this server: the value of --list-cost.
type ListCost string

// The estimators of this server.
const (
	// CostByCount counts the objects that the server handles, as kube-apiserver before 1.34.
	CostByCount ListCost = "count"
	// CostBySize computes the bytes in memory by a formula, as kube-apiserver since 1.34.
	CostBySize ListCost = "size"
	// CostLearned counts the bytes in memory that lists of the same kind took, see Learned.
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

// Estimator returns the estimator that c names; without a name that is CostByCount.
// CostLearned returns learned.
func (c ListCost) Estimator(learned Learned) Estimator {
	switch c {
	case CostLearned:
		return learned
	case CostBySize:
		return BySize()
	default:
		return ByCount()
	}
}

// Own returns the estimator that a flowcontrol-apiserver without flags starts with, which has
// seen no list.
func Own() Estimator {
	return OwnCost.Estimator(Learned{History: NewHistory(), Now: func() time.Duration { return 0 }, CountsReads: true})
}

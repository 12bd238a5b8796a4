package source

import (
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// Facts are observations of a cluster. A nil fact is unknown, and Missing says why.
type Facts struct {
	lint.Facts
	Missing []replica.Missing
}

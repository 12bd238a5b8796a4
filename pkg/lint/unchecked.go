package lint

import (
	"context"
	"fmt"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/internal/budget"
)

const (
	// stepsOfCheck bounds the comparisons of one FlowSchema of a bundle: some 50 ms.
	stepsOfCheck = 5_000_000
	// timeOfWrite bounds the comparisons of a FlowSchema while the client of a write waits.
	timeOfWrite = 20 * time.Millisecond
	// stepsOfFinding is the cost of a finding: its text is formatted.
	stepsOfFinding = 100
)

// ofWrite returns the budget of a write, which ends with the request too.
func (a *Advisor) ofWrite(ctx context.Context) *budget.Budget {
	begin := a.clock.Now()
	return budget.New(stepsOfCheck, func() bool { return ctx.Err() != nil || a.clock.Since(begin) >= timeOfWrite })
}

// ofCheck returns the budget of each FlowSchema of a bundle.
func (j *judge) ofCheck() *budget.Budget {
	if j.Steps > 0 {
		return budget.New(j.Steps, nil)
	}
	return budget.New(stepsOfCheck, nil)
}

// tooLong is FC115 for a schema whose comparisons spent the budget.
func tooLong(schema *flowcontrolv1.FlowSchema, within *budget.Budget, remedy string) []Finding {
	if !within.IsSpent() {
		return nil
	}
	return []Finding{finding(NotChecked, schemaObject(schema.Name), "spec.rules",
		"Not all was checked: comparing the rules of this FlowSchema with each other and with other FlowSchemas takes too long.", remedy)}
}

// notRead is FC115 for an object that was compared with nothing, because what is stored could not
// be read.
func notRead(object Object, what string) Finding {
	return finding(NotChecked, object, "", fmt.Sprintf("Not all was checked: the server could not read the stored %s in time.", what), "Check it with kubectl apf lint.")
}

package statussync

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	flowcontrol "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applyconfiguration "k8s.io/client-go/applyconfigurations/flowcontrol/v1"
)

const (
	reasonFound    = "Found"
	reasonNotFound = "NotFound"
)

// condition returns the Dangling condition of a schema of the named level.
func condition(level string, found bool, now metav1.Time) flowcontrol.FlowSchemaCondition {
	c := flowcontrol.FlowSchemaCondition{
		Type:               flowcontrol.FlowSchemaConditionDangling,
		Status:             flowcontrol.ConditionFalse,
		LastTransitionTime: now,
		Reason:             reasonFound,
		Message:            fmt.Sprintf("The PriorityLevelConfiguration %q exists.", level),
	}
	if !found {
		c.Status = flowcontrol.ConditionTrue
		c.Reason = reasonNotFound
		c.Message = fmt.Sprintf("There is no PriorityLevelConfiguration %q, so this FlowSchema matches no request.", level)
	}
	return c
}

// isCurrent reports whether the schema already has the wanted condition, whatever its
// wording. If not, the second result is the wanted condition with the time of its
// last transition.
func isCurrent(schema *flowcontrol.FlowSchema, wanted flowcontrol.FlowSchemaCondition) (bool, flowcontrol.FlowSchemaCondition) {
	i := slices.IndexFunc(schema.Status.Conditions, func(c flowcontrol.FlowSchemaCondition) bool { return c.Type == wanted.Type })
	if i < 0 {
		return false, wanted
	}
	present := schema.Status.Conditions[i]
	if present.Status == wanted.Status {
		level := strconv.Quote(schema.Spec.PriorityLevelConfiguration.Name)
		if present.Reason == wanted.Reason && strings.Contains(present.Message, level) {
			return true, wanted
		}
		wanted.LastTransitionTime = present.LastTransitionTime
	}
	return false, wanted
}

// applyPatch returns the body of a server-side apply of one condition. The API type would apply an
// empty spec too.
func applyPatch(name string, c flowcontrol.FlowSchemaCondition) ([]byte, error) {
	condition := applyconfiguration.FlowSchemaCondition().WithType(c.Type).WithStatus(c.Status).
		WithLastTransitionTime(c.LastTransitionTime).WithReason(c.Reason).WithMessage(c.Message)
	return json.Marshal(applyconfiguration.FlowSchema(name).WithStatus(applyconfiguration.FlowSchemaStatus().WithConditions(condition)))
}

package configsync

import (
	"fmt"
	"strconv"

	flowcontrol "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/names"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// ignoredError says why an annotation is ignored. The object takes effect without it.
type ignoredError struct{ error }

func (e ignoredError) Unwrap() error { return e.error }

// setCap sets the cap of a flow. If the annotation is invalid, it sets none and returns an
// ignoredError: kube-apiserver, which may have stored the object, does not validate annotations.
func setCap(config *engine.LevelConfig, object *flowcontrol.PriorityLevelConfiguration) error {
	value, found := object.Annotations[names.MaxFlowSeatsPercent]
	if !found || config.Discipline != queueset.Queue {
		return nil
	}
	percent, err := strconv.Atoi(value)
	if err != nil || percent < 1 || percent > 100 {
		return ignoredError{fmt.Errorf("metadata.annotations[%s] is %q, must be an integer from 1 to 100; no cap is in effect", names.MaxFlowSeatsPercent, value)}
	}
	config.MaxFlowSeatsPercent = percent
	return nil
}

package source

import (
	"bytes"
	"encoding/json"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta1 "k8s.io/api/flowcontrol/v1beta1"
	flowcontrolv1beta2 "k8s.io/api/flowcontrol/v1beta2"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// oldShares is the name of nominalConcurrencyShares up to v1beta2.
const oldShares = "assuredConcurrencyShares"

// toV1 sets the defaults of an object's version, and converts it.
func (d *decoder) toV1(object runtime.Object) (runtime.Object, error) {
	object, err := toV1beta3(object)
	if err != nil {
		return nil, err
	}
	d.scheme.Default(object)
	hub, err := d.scheme.ConvertToVersion(object, flowcontrol.SchemeGroupVersion)
	if err != nil {
		return nil, err
	}
	return d.scheme.ConvertToVersion(hub, flowcontrolv1.SchemeGroupVersion)
}

// toV1beta3 converts objects of v1beta1 and v1beta2, which differ from v1beta3 in the
// name of one field. It returns other objects as they are.
func toV1beta3(object runtime.Object) (runtime.Object, error) {
	var target runtime.Object
	switch object.(type) {
	case *flowcontrolv1beta1.FlowSchema, *flowcontrolv1beta2.FlowSchema:
		target = &flowcontrolv1beta3.FlowSchema{}
	case *flowcontrolv1beta1.PriorityLevelConfiguration, *flowcontrolv1beta2.PriorityLevelConfiguration:
		target = &flowcontrolv1beta3.PriorityLevelConfiguration{}
	default:
		return object, nil
	}
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	text = bytes.Replace(text, []byte(`"`+oldShares+`":`), []byte(`"nominalConcurrencyShares":`), 1)
	return target, json.Unmarshal(text, target)
}

package install

import (
	"errors"

	flowcontrolv1beta1 "k8s.io/api/flowcontrol/v1beta1"
	flowcontrolv1beta2 "k8s.io/api/flowcontrol/v1beta2"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/v1beta3"
)

// NewStorageScheme returns NewScheme for objects that come from a store. It reads v1beta1 and
// v1beta2 too, as kube-apiserver does: an earlier one stored them, and nobody has written the object
// since. Requests must not use it: these versions are not served.
func NewStorageScheme() *runtime.Scheme {
	scheme := NewScheme()
	scheme.AddKnownTypes(flowcontrolv1beta1.SchemeGroupVersion, &flowcontrolv1beta1.FlowSchema{}, &flowcontrolv1beta1.PriorityLevelConfiguration{})
	scheme.AddKnownTypes(flowcontrolv1beta2.SchemeGroupVersion, &flowcontrolv1beta2.FlowSchema{}, &flowcontrolv1beta2.PriorityLevelConfiguration{})
	utilruntime.Must(addEarlierConversions(scheme))
	return scheme
}

// earlier is an object of v1beta1 or v1beta2. Its protobuf is one of v1beta3 too, which gave
// assuredConcurrencyShares another name.
type earlier interface{ Marshal() ([]byte, error) }

func addEarlierConversions(scheme *runtime.Scheme) error {
	schema, level := (*flowcontrol.FlowSchema)(nil), (*flowcontrol.PriorityLevelConfiguration)(nil)
	return errors.Join(
		scheme.AddConversionFunc((*flowcontrolv1beta1.FlowSchema)(nil), schema, convertEarlierSchema),
		scheme.AddConversionFunc((*flowcontrolv1beta2.FlowSchema)(nil), schema, convertEarlierSchema),
		scheme.AddConversionFunc((*flowcontrolv1beta1.PriorityLevelConfiguration)(nil), level, convertEarlierLevel),
		scheme.AddConversionFunc((*flowcontrolv1beta2.PriorityLevelConfiguration)(nil), level, convertEarlierLevel),
	)
}

func convertEarlierSchema(from, to any, scope conversion.Scope) error {
	schema := &flowcontrolv1beta3.FlowSchema{}
	if err := reencode(from.(earlier), schema); err != nil {
		return err
	}
	v1beta3.SetObjectDefaults_FlowSchema(schema)
	return v1beta3.Convert_v1beta3_FlowSchema_To_flowcontrol_FlowSchema(schema, to.(*flowcontrol.FlowSchema), scope)
}

func convertEarlierLevel(from, to any, scope conversion.Scope) error {
	level, hub := &flowcontrolv1beta3.PriorityLevelConfiguration{}, to.(*flowcontrol.PriorityLevelConfiguration)
	if err := reencode(from.(earlier), level); err != nil {
		return err
	}
	annotations := level.Annotations
	level.Annotations = nil // the one that preserves zero shares has no effect before v1beta3
	v1beta3.SetObjectDefaults_PriorityLevelConfiguration(level)
	if err := v1beta3.Convert_v1beta3_PriorityLevelConfiguration_To_flowcontrol_PriorityLevelConfiguration(level, hub, scope); err != nil {
		return err
	}
	hub.Annotations = annotations
	return nil
}

// reencode reads the protobuf of an object as another type.
func reencode(from earlier, to interface{ Unmarshal([]byte) error }) error {
	encoded, err := from.Marshal()
	if err != nil {
		return err
	}
	return to.Unmarshal(encoded)
}

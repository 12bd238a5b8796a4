package v1beta3

import (
	"maps"

	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/conversion"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

const preserveZeroShares = flowcontrolv1beta3.PriorityLevelPreserveZeroConcurrencySharesKey

// Convert_flowcontrol_PriorityLevelConfiguration_To_v1beta3_PriorityLevelConfiguration
// adds the annotation that preserves zero shares.
func Convert_flowcontrol_PriorityLevelConfiguration_To_v1beta3_PriorityLevelConfiguration(in *flowcontrol.PriorityLevelConfiguration, out *flowcontrolv1beta3.PriorityLevelConfiguration, s conversion.Scope) error {
	if err := autoConvert_flowcontrol_PriorityLevelConfiguration_To_v1beta3_PriorityLevelConfiguration(in, out, s); err != nil {
		return err
	}
	limited := in.Spec.Limited
	if limited == nil || limited.NominalConcurrencyShares == nil || *limited.NominalConcurrencyShares != 0 {
		return nil
	}
	// The map is shared with in, which may be in a cache.
	annotations := make(map[string]string, len(out.Annotations)+1)
	maps.Copy(annotations, out.Annotations)
	annotations[preserveZeroShares] = ""
	out.Annotations = annotations
	return nil
}

// Convert_v1beta3_PriorityLevelConfiguration_To_flowcontrol_PriorityLevelConfiguration
// removes the annotation that preserves zero shares.
func Convert_v1beta3_PriorityLevelConfiguration_To_flowcontrol_PriorityLevelConfiguration(in *flowcontrolv1beta3.PriorityLevelConfiguration, out *flowcontrol.PriorityLevelConfiguration, s conversion.Scope) error {
	if err := autoConvert_v1beta3_PriorityLevelConfiguration_To_flowcontrol_PriorityLevelConfiguration(in, out, s); err != nil {
		return err
	}
	if _, marked := out.Annotations[preserveZeroShares]; !marked {
		return nil
	}
	out.Annotations = maps.Clone(out.Annotations)
	delete(out.Annotations, preserveZeroShares)
	return nil
}

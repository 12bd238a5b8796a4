package v1beta3

import (
	"cmp"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/utils/ptr"

	v1 "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/v1"
)

// SetDefaults_FlowSchemaSpec sets the defaults of a FlowSchema.
func SetDefaults_FlowSchemaSpec(spec *flowcontrolv1beta3.FlowSchemaSpec) {
	spec.MatchingPrecedence = cmp.Or(spec.MatchingPrecedence, v1.DefaultMatchingPrecedence)
}

// SetDefaults_PriorityLevelConfiguration sets the default shares of a limited level.
// The annotation that preserves zero shares is in the object's metadata.
func SetDefaults_PriorityLevelConfiguration(level *flowcontrolv1beta3.PriorityLevelConfiguration) {
	if level.Spec.Limited == nil {
		return
	}
	if _, preserveZero := level.Annotations[flowcontrolv1beta3.PriorityLevelPreserveZeroConcurrencySharesKey]; !preserveZero {
		shares := &level.Spec.Limited.NominalConcurrencyShares
		*shares = cmp.Or(*shares, v1.DefaultNominalConcurrencyShares)
	}
}

// SetDefaults_LimitedPriorityLevelConfiguration sets the other defaults of a limited
// level.
func SetDefaults_LimitedPriorityLevelConfiguration(limited *flowcontrolv1beta3.LimitedPriorityLevelConfiguration) {
	if limited.LendablePercent == nil {
		limited.LendablePercent = ptr.To[int32](0)
	}
}

// SetDefaults_ExemptPriorityLevelConfiguration sets the defaults of an exempt level, as in v1.
func SetDefaults_ExemptPriorityLevelConfiguration(exempt *flowcontrolv1beta3.ExemptPriorityLevelConfiguration) {
	v1.SetDefaults_ExemptPriorityLevelConfiguration((*flowcontrolv1.ExemptPriorityLevelConfiguration)(exempt))
}

// SetDefaults_QueuingConfiguration sets the defaults of fields that are zero, as in v1.
func SetDefaults_QueuingConfiguration(queuing *flowcontrolv1beta3.QueuingConfiguration) {
	v1.SetDefaults_QueuingConfiguration((*flowcontrolv1.QueuingConfiguration)(queuing))
}

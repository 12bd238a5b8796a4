package flowcontrol

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Names of the mandatory PriorityLevelConfigurations.
const (
	PriorityLevelConfigurationNameExempt   = "exempt"
	PriorityLevelConfigurationNameCatchAll = "catch-all"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// PriorityLevelConfiguration is one level of priority: the share of the
// server's seats that its requests get, and what happens past that share.
type PriorityLevelConfiguration struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec   PriorityLevelConfigurationSpec
	Status PriorityLevelConfigurationStatus
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// PriorityLevelConfigurationList is a list of PriorityLevelConfigurations.
type PriorityLevelConfigurationList struct {
	metav1.TypeMeta
	metav1.ListMeta

	Items []PriorityLevelConfiguration
}

// PriorityLevelEnablement tells whether a level is subject to limits.
type PriorityLevelEnablement string

const (
	// PriorityLevelEnablementExempt never queues and never refuses.
	PriorityLevelEnablementExempt PriorityLevelEnablement = "Exempt"
	// PriorityLevelEnablementLimited bounds the seats in use.
	PriorityLevelEnablementLimited PriorityLevelEnablement = "Limited"
)

// PriorityLevelConfigurationSpec is a union whose discriminator is Type.
type PriorityLevelConfigurationSpec struct {
	Type    PriorityLevelEnablement
	Limited *LimitedPriorityLevelConfiguration
	Exempt  *ExemptPriorityLevelConfiguration
}

// LimitedPriorityLevelConfiguration configures a level with limits.
type LimitedPriorityLevelConfiguration struct {
	// NominalConcurrencyShares is this level's weight when the server's seats
	// are split. Zero is a level without seats of its own; nil, which
	// defaulting replaces by 30, only occurs in objects not yet defaulted.
	NominalConcurrencyShares *int32
	LimitResponse            LimitResponse
	// LendablePercent of the nominal seats may be lent, 0 to 100.
	LendablePercent *int32
	// BorrowingLimitPercent bounds borrowed seats, in percent of the nominal
	// ones, and may pass 100; nil is no bound.
	BorrowingLimitPercent *int32
}

// ExemptPriorityLevelConfiguration configures the lending of an exempt level.
type ExemptPriorityLevelConfiguration struct {
	// NominalConcurrencyShares is this level's weight, default 0.
	NominalConcurrencyShares *int32
	// LendablePercent of the nominal seats may be lent, 0 to 100, default 0.
	LendablePercent *int32
}

// LimitResponseType names what happens to requests past the limit.
type LimitResponseType string

const (
	// LimitResponseTypeQueue lets them wait in queues of bounded length.
	LimitResponseTypeQueue LimitResponseType = "Queue"
	// LimitResponseTypeReject refuses them.
	LimitResponseTypeReject LimitResponseType = "Reject"
)

// LimitResponse is a union whose discriminator is Type.
type LimitResponse struct {
	Type    LimitResponseType
	Queuing *QueuingConfiguration
}

// QueuingConfiguration is the shape of a level's queues.
type QueuingConfiguration struct {
	// Queues of this level, default 64.
	Queues int32
	// HandSize is the number of queues that each flow is dealt, default 8.
	HandSize int32
	// QueueLengthLimit is the most requests that wait in one queue, default 50.
	QueueLengthLimit int32
}

// PriorityLevelConfigurationStatus is what the server observed of a level.
type PriorityLevelConfigurationStatus struct {
	Conditions []PriorityLevelConfigurationCondition
}

// PriorityLevelConfigurationConditionType names a condition of a level.
type PriorityLevelConfigurationConditionType string

// PriorityLevelConfigurationCondition is one observation of a level.
type PriorityLevelConfigurationCondition struct {
	Type               PriorityLevelConfigurationConditionType
	Status             ConditionStatus
	LastTransitionTime metav1.Time
	Reason             string
	Message            string
}

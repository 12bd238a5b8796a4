package flowcontrol

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// PriorityLevelConfiguration is a priority level: its share of the server's seats
// and what happens to requests that exceed it.
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

// PriorityLevelEnablement is whether a level is limited.
type PriorityLevelEnablement string

const (
	// PriorityLevelEnablementExempt never queues or rejects requests.
	PriorityLevelEnablementExempt PriorityLevelEnablement = "Exempt"
	// PriorityLevelEnablementLimited limits the seats in use.
	PriorityLevelEnablementLimited PriorityLevelEnablement = "Limited"
)

// PriorityLevelConfigurationSpec is a union with the discriminator Type.
type PriorityLevelConfigurationSpec struct {
	Type    PriorityLevelEnablement
	Limited *LimitedPriorityLevelConfiguration
	Exempt  *ExemptPriorityLevelConfiguration
}

// LimitedPriorityLevelConfiguration configures a limited level.
type LimitedPriorityLevelConfiguration struct {
	// NominalConcurrencyShares is the level's weight in the division of the server's
	// seats. With zero the level has no nominal seats. Nil occurs only before
	// defaulting, which sets 30.
	NominalConcurrencyShares *int32
	LimitResponse            LimitResponse
	// LendablePercent of the nominal seats may be lent, 0 to 100.
	LendablePercent *int32
	// BorrowingLimitPercent limits borrowed seats, in percent of the nominal seats.
	// It may exceed 100; nil is no limit.
	BorrowingLimitPercent *int32
}

// ExemptPriorityLevelConfiguration configures the lending of an exempt level.
type ExemptPriorityLevelConfiguration struct {
	// NominalConcurrencyShares is this level's weight, default 0.
	NominalConcurrencyShares *int32
	// LendablePercent of the nominal seats may be lent, 0 to 100, default 0.
	LendablePercent *int32
}

// LimitResponseType is what happens to requests that exceed the limit.
type LimitResponseType string

const (
	// LimitResponseTypeQueue queues them, in queues of limited length.
	LimitResponseTypeQueue LimitResponseType = "Queue"
	// LimitResponseTypeReject rejects them.
	LimitResponseTypeReject LimitResponseType = "Reject"
)

// LimitResponse is a union with the discriminator Type.
type LimitResponse struct {
	Type    LimitResponseType
	Queuing *QueuingConfiguration
}

// QueuingConfiguration configures the queues of a level.
type QueuingConfiguration struct {
	// Queues is the number of queues, default 64.
	Queues int32
	// HandSize is the number of queues in the hand of each flow, default 8.
	HandSize int32
	// QueueLengthLimit is the largest number of requests in one queue, default 50.
	QueueLengthLimit int32
}

// PriorityLevelConfigurationStatus is the observed state of a level.
type PriorityLevelConfigurationStatus struct {
	Conditions []PriorityLevelConfigurationCondition
}

// PriorityLevelConfigurationConditionType is the type of a condition of a level.
type PriorityLevelConfigurationConditionType string

// PriorityLevelConfigurationCondition is a condition of a level.
type PriorityLevelConfigurationCondition struct {
	Type               PriorityLevelConfigurationConditionType
	Status             ConditionStatus
	LastTransitionTime metav1.Time
	Reason             string
	Message            string
}

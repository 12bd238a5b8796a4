package flowcontrol

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// FlowSchemaConditionDangling is True while the priority level of a FlowSchema does
// not exist.
const FlowSchemaConditionDangling FlowSchemaConditionType = "Dangling"

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// FlowSchema assigns the requests that it matches to a priority level and divides
// them into flows.
type FlowSchema struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec   FlowSchemaSpec
	Status FlowSchemaStatus
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// FlowSchemaList is a list of FlowSchemas.
type FlowSchemaList struct {
	metav1.TypeMeta
	metav1.ListMeta

	Items []FlowSchema
}

// FlowSchemaSpec selects requests, their priority level and their flows.
type FlowSchemaSpec struct {
	// PriorityLevelConfiguration refers to the priority level of the requests.
	PriorityLevelConfiguration PriorityLevelConfigurationReference
	// MatchingPrecedence, 1 to 10000, orders the FlowSchemas: a request matches the FlowSchema with
	// the lowest value, then the one whose name sorts first.
	MatchingPrecedence int32
	// DistinguisherMethod divides the requests into flows; nil means one flow.
	DistinguisherMethod *FlowDistinguisherMethod
	// Rules are alternatives: one of them must match. Without rules no request
	// matches.
	Rules []PolicyRulesWithSubjects
}

// FlowDistinguisherMethodType is the attribute that distinguishes the flows of a
// FlowSchema.
type FlowDistinguisherMethodType string

const (
	// FlowDistinguisherMethodByUserType is one flow for each user name.
	FlowDistinguisherMethodByUserType FlowDistinguisherMethodType = "ByUser"
	// FlowDistinguisherMethodByNamespaceType is one flow for each namespace of the
	// requested objects. Requests without a namespace share a flow.
	FlowDistinguisherMethodByNamespaceType FlowDistinguisherMethodType = "ByNamespace"
)

// FlowDistinguisherMethod selects the flow distinguisher.
type FlowDistinguisherMethod struct {
	Type FlowDistinguisherMethodType
}

// PriorityLevelConfigurationReference refers to a PriorityLevelConfiguration.
type PriorityLevelConfigurationReference struct {
	Name string
}

// PolicyRulesWithSubjects matches a request if one of the subjects made it and one
// of the resource rules, or of the non-resource rules, matches it.
type PolicyRulesWithSubjects struct {
	Subjects         []Subject
	ResourceRules    []ResourcePolicyRule
	NonResourceRules []NonResourcePolicyRule
}

// SubjectKind is the discriminator of a Subject.
type SubjectKind string

// The kinds of Subject.
const (
	SubjectKindUser           SubjectKind = "User"
	SubjectKindGroup          SubjectKind = "Group"
	SubjectKindServiceAccount SubjectKind = "ServiceAccount"
)

// Subject selects requesters. It is a union with the discriminator Kind.
type Subject struct {
	Kind           SubjectKind
	User           *UserSubject
	Group          *GroupSubject
	ServiceAccount *ServiceAccountSubject
}

// UserSubject is one user, or every user if the name is "*".
type UserSubject struct {
	Name string
}

// GroupSubject is one group, or every group if the name is "*".
type GroupSubject struct {
	Name string
}

// ServiceAccountSubject is one service account, or every one of the namespace if the
// name is "*".
type ServiceAccountSubject struct {
	Namespace string
	Name      string
}

// ResourcePolicyRule matches a resource request if each of its lists does.
type ResourcePolicyRule struct {
	Verbs     []string
	APIGroups []string
	// Resources are "resource" or "resource/subresource".
	Resources []string
	// ClusterScope matches requests without a namespace.
	ClusterScope bool
	// Namespaces matches requests in one of them.
	Namespaces []string
}

// NonResourcePolicyRule matches non-resource requests.
type NonResourcePolicyRule struct {
	Verbs []string
	// NonResourceURLs are exact paths, prefixes that end in "/*", or "*".
	NonResourceURLs []string
}

// FlowSchemaStatus is the observed state of a FlowSchema.
type FlowSchemaStatus struct {
	Conditions []FlowSchemaCondition
}

// FlowSchemaConditionType is the type of a condition of a FlowSchema.
type FlowSchemaConditionType string

// FlowSchemaCondition is a condition of a FlowSchema.
type FlowSchemaCondition struct {
	Type               FlowSchemaConditionType
	Status             ConditionStatus
	LastTransitionTime metav1.Time
	Reason             string
	Message            string
}

// ConditionStatus is the status of a condition.
type ConditionStatus string

// The statuses of a condition.
const (
	ConditionTrue    ConditionStatus = "True"
	ConditionFalse   ConditionStatus = "False"
	ConditionUnknown ConditionStatus = "Unknown"
)

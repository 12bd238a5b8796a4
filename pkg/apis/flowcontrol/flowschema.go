package flowcontrol

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Wildcards of the rules of a FlowSchema.
const (
	APIGroupAll    = "*"
	ResourceAll    = "*"
	VerbAll        = "*"
	NonResourceAll = "*"
	NameAll        = "*"
	// NamespaceEvery stands for each namespace; a request without a namespace
	// is matched by ClusterScope instead.
	NamespaceEvery = "*"
)

// Names of the mandatory FlowSchemas.
const (
	FlowSchemaNameExempt   = "exempt"
	FlowSchemaNameCatchAll = "catch-all"
)

// FlowSchemaMaxMatchingPrecedence is the largest matchingPrecedence a
// FlowSchema may have, and that of catch-all. The smallest is 1.
const FlowSchemaMaxMatchingPrecedence int32 = 10000

// FlowSchemaConditionDangling is True while the priority level that a
// FlowSchema names does not exist.
const FlowSchemaConditionDangling FlowSchemaConditionType = "Dangling"

// AutoUpdateAnnotationKey is the annotation of a suggested object that says
// whether the server ("true") or the user ("false") owns its spec.
const AutoUpdateAnnotationKey = "apf.kubernetes.io/autoupdate-spec"

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// FlowSchema assigns the requests that it matches to a priority level and tells
// the flows among them apart.
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

// FlowSchemaSpec says which requests belong to a FlowSchema and what happens to
// them.
type FlowSchemaSpec struct {
	// PriorityLevelConfiguration names the level that serves the requests.
	PriorityLevelConfiguration PriorityLevelConfigurationReference
	// MatchingPrecedence orders the FlowSchemas: the smallest that matches a
	// request takes it, ties go to the name that sorts first.
	MatchingPrecedence int32
	// DistinguisherMethod splits the requests into flows; nil makes them one.
	DistinguisherMethod *FlowDistinguisherMethod
	// Rules are alternatives: one that matches is enough, none means never.
	Rules []PolicyRulesWithSubjects
}

// FlowDistinguisherMethodType names what tells two flows of one schema apart.
type FlowDistinguisherMethodType string

const (
	// FlowDistinguisherMethodByUserType makes one flow of each user name.
	FlowDistinguisherMethodByUserType FlowDistinguisherMethodType = "ByUser"
	// FlowDistinguisherMethodByNamespaceType makes one flow of each namespace
	// of the requested objects; requests without one share a flow.
	FlowDistinguisherMethodByNamespaceType FlowDistinguisherMethodType = "ByNamespace"
)

// FlowDistinguisherMethod is the choice of a flow distinguisher.
type FlowDistinguisherMethod struct {
	Type FlowDistinguisherMethodType
}

// PriorityLevelConfigurationReference names a PriorityLevelConfiguration.
type PriorityLevelConfigurationReference struct {
	Name string
}

// PolicyRulesWithSubjects matches a request when one of its subjects made it
// and one of its rules, of the kind that fits the request, covers it.
type PolicyRulesWithSubjects struct {
	Subjects         []Subject
	ResourceRules    []ResourcePolicyRule
	NonResourceRules []NonResourcePolicyRule
}

// SubjectKind tells which of a Subject's members is set.
type SubjectKind string

// The kinds of Subject.
const (
	SubjectKindUser           SubjectKind = "User"
	SubjectKindGroup          SubjectKind = "Group"
	SubjectKindServiceAccount SubjectKind = "ServiceAccount"
)

// Subject is a requester: a union whose discriminator is Kind.
type Subject struct {
	Kind           SubjectKind
	User           *UserSubject
	Group          *GroupSubject
	ServiceAccount *ServiceAccountSubject
}

// UserSubject is one user, or every user when the name is "*".
type UserSubject struct {
	Name string
}

// GroupSubject is one group, or every group when the name is "*".
type GroupSubject struct {
	Name string
}

// ServiceAccountSubject is one service account, or with the name "*" every one
// of the namespace.
type ServiceAccountSubject struct {
	Namespace string
	Name      string
}

// ResourcePolicyRule matches a resource request that each of its lists covers.
type ResourcePolicyRule struct {
	Verbs     []string
	APIGroups []string
	// Resources are "resource" or "resource/subresource".
	Resources []string
	// ClusterScope covers requests that name no namespace.
	ClusterScope bool
	// Namespaces covers requests that name one of them.
	Namespaces []string
}

// NonResourcePolicyRule matches a request for a path outside the resources.
type NonResourcePolicyRule struct {
	Verbs []string
	// NonResourceURLs are exact paths, or prefixes that end in "/*", or "*".
	NonResourceURLs []string
}

// FlowSchemaStatus is what the server observed of a FlowSchema.
type FlowSchemaStatus struct {
	Conditions []FlowSchemaCondition
}

// FlowSchemaConditionType names a condition of a FlowSchema.
type FlowSchemaConditionType string

// FlowSchemaCondition is one observation of a FlowSchema.
type FlowSchemaCondition struct {
	Type               FlowSchemaConditionType
	Status             ConditionStatus
	LastTransitionTime metav1.Time
	Reason             string
	Message            string
}

// ConditionStatus is the truth value of a condition.
type ConditionStatus string

// The truth values of a condition.
const (
	ConditionTrue    ConditionStatus = "True"
	ConditionFalse   ConditionStatus = "False"
	ConditionUnknown ConditionStatus = "Unknown"
)

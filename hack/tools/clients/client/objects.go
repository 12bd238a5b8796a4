package client

import (
	"fmt"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// The matching precedence of the FlowSchema after each step.
const (
	Created int32 = 500
	Patched int32 = 600
	Applied int32 = 700
)

// Level returns the level that each client writes.
func Level(name string) *flowcontrolv1.PriorityLevelConfiguration {
	shares := int32(1)
	return &flowcontrolv1.PriorityLevelConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: flowcontrolv1.SchemeGroupVersion.String(), Kind: "PriorityLevelConfiguration"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"client": name}},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: &shares,
				LimitResponse:            flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
			},
		},
	}
}

// Schema returns a FlowSchema of the user and the level of the same name. Its matching precedence tells
// the steps apart.
func Schema(name string, precedence int32) *flowcontrolv1.FlowSchema {
	return &flowcontrolv1.FlowSchema{
		TypeMeta:   metav1.TypeMeta{APIVersion: flowcontrolv1.SchemeGroupVersion.String(), Kind: "FlowSchema"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"client": name}},
		Spec: flowcontrolv1.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: name},
			MatchingPrecedence:         precedence,
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: name}}},
				ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
					Verbs: []string{"get"}, APIGroups: []string{flowcontrolv1.GroupName}, Resources: []string{"flowschemas"}, ClusterScope: true,
				}},
			}},
		},
	}
}

// Precedence is a merge patch of the matching precedence.
func Precedence(precedence int32) []byte {
	return fmt.Appendf(nil, `{"spec":{"matchingPrecedence":%d}}`, precedence)
}

// Unstructured converts an object as a dynamic client sends it. It panics if that fails,
// which no object of this package does.
func Unstructured(object runtime.Object) *unstructured.Unstructured {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		panic(err)
	}
	delete(content, "status")
	return &unstructured.Unstructured{Object: content}
}

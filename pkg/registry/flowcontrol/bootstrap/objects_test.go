package bootstrap

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func newSchema(name, level string, precedence int32) *flowcontrolv1.FlowSchema {
	return &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: name, Generation: 1},
		Spec: flowcontrolv1.FlowSchemaSpec{
			MatchingPrecedence:         precedence,
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: level},
		},
	}
}

func newLevel(name string, shares int32) *flowcontrolv1.PriorityLevelConfiguration {
	return &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: name, Generation: 1},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: &shares,
				LendablePercent:          new(int32),
				LimitResponse:            flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
			},
		},
	}
}

// withAutoUpdate sets the autoupdate-spec annotation, or removes it for "absent".
func withAutoUpdate[T metav1.Object](object T, value string) T {
	object.SetAnnotations(nil)
	if value != "absent" {
		object.SetAnnotations(map[string]string{flowcontrolv1.AutoUpdateAnnotationKey: value})
	}
	return object
}

func autoUpdateAnnotation(object metav1.Object) string {
	return object.GetAnnotations()[flowcontrolv1.AutoUpdateAnnotationKey]
}

func spec(object metav1.Object) any {
	if schema, ok := object.(*flowcontrolv1.FlowSchema); ok {
		return schema.Spec
	}
	return object.(*flowcontrolv1.PriorityLevelConfiguration).Spec
}

func resourceOf(object metav1.Object) string {
	if _, ok := object.(*flowcontrolv1.FlowSchema); ok {
		return schemasResource
	}
	return levelsResource
}

func names[T metav1.Object](objects []T) []string {
	found := make([]string, 0, len(objects))
	for _, object := range objects {
		found = append(found, object.GetName())
	}
	return found
}

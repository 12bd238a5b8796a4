package v1

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// localSchemeBuilder collects the functions of the generated files.
var localSchemeBuilder runtime.SchemeBuilder

// AddToScheme registers the types of v1, their defaults and their conversions
// to and from the hub.
func AddToScheme(scheme *runtime.Scheme) error {
	if err := flowcontrolv1.AddToScheme(scheme); err != nil {
		return err
	}
	if err := RegisterDefaults(scheme); err != nil {
		return err
	}
	return localSchemeBuilder.AddToScheme(scheme)
}

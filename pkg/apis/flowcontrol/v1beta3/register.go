package v1beta3

import (
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/runtime"
)

// localSchemeBuilder collects the functions of the generated files.
var localSchemeBuilder runtime.SchemeBuilder

// AddToScheme registers the types of v1beta3, their defaults and their conversions
// to and from the hub.
func AddToScheme(scheme *runtime.Scheme) error {
	if err := flowcontrolv1beta3.AddToScheme(scheme); err != nil {
		return err
	}
	if err := RegisterDefaults(scheme); err != nil {
		return err
	}
	return localSchemeBuilder.AddToScheme(scheme)
}

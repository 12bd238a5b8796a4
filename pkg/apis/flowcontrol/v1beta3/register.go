package v1beta3

import (
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/runtime"
)

// localSchemeBuilder collects what the generated files of this package add.
var localSchemeBuilder runtime.SchemeBuilder

// AddToScheme registers the types of v1beta3, their defaults and their conversions
// from and to the hub.
func AddToScheme(scheme *runtime.Scheme) error {
	if err := flowcontrolv1beta3.AddToScheme(scheme); err != nil {
		return err
	}
	if err := RegisterDefaults(scheme); err != nil {
		return err
	}
	return localSchemeBuilder.AddToScheme(scheme)
}

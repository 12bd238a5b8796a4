// Package install registers the versions of the flowcontrol group with a scheme: the
// hub, v1, which is preferred and stored, and v1beta3.
package install

import (
	"fmt"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	v1 "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/v1"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/v1beta3"
)

// NewScheme returns a scheme with all versions of the group and the types that every
// API server serves: Status, list and watch options, partial metadata and tables.
func NewScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(Install(scheme))

	coreV1 := schema.GroupVersion{Version: "v1"}
	metav1.AddToGroupVersion(scheme, coreV1)
	scheme.AddUnversionedTypes(coreV1,
		&metav1.Status{},
		&metav1.APIVersions{},
		&metav1.APIGroupList{},
		&metav1.APIGroup{},
		&metav1.APIResourceList{},
	)
	return scheme
}

// Install registers the group with scheme.
func Install(scheme *runtime.Scheme) error {
	builder := runtime.NewSchemeBuilder(flowcontrol.AddToScheme, v1.AddToScheme, v1beta3.AddToScheme, addFieldSelectors)
	if err := builder.AddToScheme(scheme); err != nil {
		return err
	}
	return scheme.SetVersionPriority(flowcontrolv1.SchemeGroupVersion, flowcontrolv1beta3.SchemeGroupVersion)
}

// addFieldSelectors registers metadata.name as the only field selector. The default
// would include metadata.namespace, which cluster-scoped objects do not have.
func addFieldSelectors(scheme *runtime.Scheme) error {
	for _, version := range []schema.GroupVersion{flowcontrolv1.SchemeGroupVersion, flowcontrolv1beta3.SchemeGroupVersion} {
		for _, kind := range []string{"FlowSchema", "PriorityLevelConfiguration"} {
			if err := scheme.AddFieldLabelConversionFunc(version.WithKind(kind), selectName); err != nil {
				return err
			}
		}
	}
	return nil
}

// selectName accepts metadata.name and rejects other fields.
func selectName(label, value string) (internalLabel, internalValue string, err error) {
	if label != "metadata.name" {
		return "", "", fmt.Errorf("%q is not a known field selector: only %q is", label, "metadata.name")
	}
	return label, value, nil
}

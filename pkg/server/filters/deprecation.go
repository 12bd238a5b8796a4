package filters

import (
	"net/http"

	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/deprecation"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/warning"
)

// DeprecationWarnings returns the library's warning about each resource of
// v1beta3 that is enabled, by the resource's plural name.
func DeprecationWarnings(scheme *runtime.Scheme, enabled func(schema.GroupVersionResource) bool) (map[string]string, error) {
	warnings := map[string]string{}
	for resource, object := range map[string]runtime.Object{
		"flowschemas":                 &flowcontrolv1beta3.FlowSchema{},
		"prioritylevelconfigurations": &flowcontrolv1beta3.PriorityLevelConfiguration{},
	} {
		if !enabled(flowcontrolv1beta3.SchemeGroupVersion.WithResource(resource)) {
			continue
		}
		kinds, _, err := scheme.ObjectKinds(object)
		if err != nil {
			return nil, err
		}
		object.GetObjectKind().SetGroupVersionKind(kinds[0])
		warnings[resource] = deprecation.WarningMessage(object)
	}
	return warnings, nil
}

// WithDeprecationWarnings adds the warning of a resource to each answer about it
// in v1beta3. The library's routes add the same warning, which is sent once; but a
// request with a method or media type that no route accepts reaches none of them.
func WithDeprecationWarnings(handler http.Handler, warnings map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, ok := apirequest.RequestInfoFrom(r.Context())
		if ok && info.APIVersion == flowcontrolv1beta3.SchemeGroupVersion.Version && info.APIGroup == flowcontrolv1beta3.GroupName {
			warning.AddWarning(r.Context(), "", warnings[info.Resource]) // an empty text adds none
		}
		handler.ServeHTTP(w, r)
	})
}

package server

import (
	"context"
	"net/http"

	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/deprecation"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/warning"
)

// announceDeprecation puts withDeprecation in front of the API.
func (c *Config) announceDeprecation(context.Context) error {
	texts := map[string]string{}
	for resource, object := range map[string]runtime.Object{
		"flowschemas":                 &flowcontrolv1beta3.FlowSchema{},
		"prioritylevelconfigurations": &flowcontrolv1beta3.PriorityLevelConfiguration{},
	} {
		if !c.generic.MergedResourceConfig.ResourceEnabled(flowcontrolv1beta3.SchemeGroupVersion.WithResource(resource)) {
			continue
		}
		kinds, _, err := c.scheme.ObjectKinds(object)
		if err != nil {
			return err
		}
		object.GetObjectKind().SetGroupVersionKind(kinds[0])
		texts[resource] = deprecation.WarningMessage(object)
	}
	chain := c.generic.BuildHandlerChainFunc
	c.generic.BuildHandlerChainFunc = func(api http.Handler, generic *genericapiserver.Config) http.Handler {
		return chain(withDeprecation(api, texts), generic)
	}
	return nil
}

// withDeprecation has every answer of the API about a resource in v1beta3 carry
// the resource's text as a warning. The library's routes say the same, once; but a
// request with a method or a type that no route takes does not get to one.
func withDeprecation(api http.Handler, texts map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, ok := apirequest.RequestInfoFrom(r.Context())
		if ok && info.APIVersion == flowcontrolv1beta3.SchemeGroupVersion.Version && info.APIGroup == flowcontrolv1beta3.GroupName {
			warning.AddWarning(r.Context(), "", texts[info.Resource]) // an empty text is no warning
		}
		api.ServeHTTP(w, r)
	})
}

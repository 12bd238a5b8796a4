package identity

import (
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
)

// SelfReviewVersions returns the versions of the self-reviews, in the order of
// kube-apiserver.
func SelfReviewVersions() []schema.GroupVersion {
	return []schema.GroupVersion{authenticationv1.SchemeGroupVersion, authorizationv1.SchemeGroupVersion}
}

// AddSelfReviewsToScheme registers the types of the self-reviews.
func AddSelfReviewsToScheme(scheme *runtime.Scheme) error {
	builder := runtime.NewSchemeBuilder(authenticationv1.AddToScheme, authorizationv1.AddToScheme)
	return builder.AddToScheme(scheme)
}

// SelfReviewGroups returns the groups where clients ask who they are and what they may do, without
// the resources that are not enabled. kube-apiserver's storages are not in the library.
func SelfReviewGroups(enabled serverstorage.APIResourceConfigSource, decides authorizer.Authorizer, rules authorizer.RuleResolver) ([]*genericapiserver.APIGroupInfo, error) {
	scheme, err := newSelfReviewScheme()
	if err != nil {
		return nil, err
	}
	storages := map[schema.GroupVersion]map[string]rest.Storage{
		authenticationv1.SchemeGroupVersion: {"selfsubjectreviews": subjectReviews()},
		authorizationv1.SchemeGroupVersion:  {"selfsubjectaccessreviews": accessReviews(decides), "selfsubjectrulesreviews": rulesReviews(rules)},
	}
	var groups []*genericapiserver.APIGroupInfo
	for _, version := range SelfReviewVersions() { // discovery has their order
		served := map[string]rest.Storage{}
		for resource, storage := range storages[version] {
			if enabled.ResourceEnabled(version.WithResource(resource)) {
				served[resource] = storage
			}
		}
		if len(served) == 0 {
			continue
		}
		info := genericapiserver.NewDefaultAPIGroupInfo(version.Group, scheme, runtime.NewParameterCodec(scheme), serializer.NewCodecFactory(scheme))
		info.VersionedResourcesStorageMap[version.Version] = served
		groups = append(groups, &info)
	}
	return groups, nil
}

// newSelfReviewScheme returns a scheme whose internal types are v1's, because the library decodes
// to internal types. It is apart from the server's scheme, whose types OpenAPI describes.
func newSelfReviewScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	if err := AddSelfReviewsToScheme(scheme); err != nil {
		return nil, err
	}
	scheme.AddKnownTypes(schema.GroupVersion{Group: authenticationv1.GroupName, Version: runtime.APIVersionInternal}, &authenticationv1.SelfSubjectReview{})
	scheme.AddKnownTypes(schema.GroupVersion{Group: authorizationv1.GroupName, Version: runtime.APIVersionInternal},
		&authorizationv1.SelfSubjectAccessReview{}, &authorizationv1.SelfSubjectRulesReview{})
	return scheme, nil
}

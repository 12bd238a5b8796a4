package filter

import (
	"k8s.io/apiserver/pkg/authentication/user"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// FillAttributes sets the attributes of a request from its RequestInfo and its user.
func FillAttributes(a *flow.Attributes, info *apirequest.RequestInfo, requester user.Info) {
	a.User, a.Groups = requester.GetName(), requester.GetGroups()
	a.Verb, a.Path, a.IsResourceRequest = info.Verb, info.Path, info.IsResourceRequest
	a.APIGroup, a.APIVersion = info.APIGroup, info.APIVersion
	a.Resource, a.Subresource = info.Resource, info.Subresource
	a.Namespace, a.Name = info.Namespace, info.Name
}

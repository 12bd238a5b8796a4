package lint

import (
	"fmt"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/userset"
)

// judgeServers finds servers whose reviews wait in the level that they hold up: FC501.
func (j *judge) judgeServers() {
	if len(j.Facts.Servers) == 0 {
		return
	}
	matching := j.matcher()
	for i := range j.Facts.Servers {
		server := &j.Facts.Servers[i]
		if server.ServiceAccount == "" || len(server.Requests) == 0 {
			continue
		}
		for _, review := range reviewsOf(server) {
			own := matching.schemaOf(&review)
			if own == nil {
				continue
			}
			if holder := j.holder(server, own.Spec.PriorityLevelConfiguration.Name, matching.schemas); holder != nil {
				j.add(j.recursive(server, review.Resource, own, holder))
				break
			}
		}
	}
}

// reviewsOf returns the reviews that the server sends while a request waits for it.
func reviewsOf(server *Server) []flow.Attributes {
	review := requestOf(server.Namespace, server.ServiceAccount)
	review.Verb = "create"
	access, token := review, review
	access.APIGroup, access.Resource = "authorization.k8s.io", "subjectaccessreviews"
	token.APIGroup, token.Resource = "authentication.k8s.io", "tokenreviews"
	return []flow.Attributes{access, token}
}

// holder returns the first schema of a limited level that can match and whose requests
// wait for the server, other than the server's own; nil if there is none.
func (j *judge) holder(server *Server, level string, schemas []*flowcontrolv1.FlowSchema) *flowcontrolv1.FlowSchema {
	if l := j.levels[level]; l == nil || l.Spec.Limited == nil {
		return nil
	}
	own := userset.Set{Kind: userset.OneServiceAccount, Namespace: server.Namespace, Name: server.ServiceAccount}
	for _, schema := range schemas {
		if schema.Spec.PriorityLevelConfiguration.Name != level || j.shadowed[schema.Name] {
			continue
		}
		for _, rule := range rulesOf(schema) {
			others := slices.ContainsFunc(rule.users, func(users userset.Set) bool { return users != own })
			if others && rule.selectsAny(server.Requests) {
				return schema
			}
		}
	}
	return nil
}

// recursive is FC501. It is an info if the built-in configuration is the cause.
func (j *judge) recursive(server *Server, review string, own, holder *flowcontrolv1.FlowSchema) Finding {
	severity := Warning
	if j.defaults.hasSchema(own) && j.defaults.hasSchema(holder) {
		severity = Info
	}
	level := own.Spec.PriorityLevelConfiguration.Name
	return finding(RecursiveReviews, server.Object, "",
		fmt.Sprintf("Requests of FlowSchema %q wait for this server with seats of the priority level %q, and the %s that it sends meanwhile as %s/%s need seats of the same level (FlowSchema %q).",
			holder.Name, level, review, server.Namespace, server.ServiceAccount, own.Name),
		"Add a FlowSchema that sends the reviews of this service account to another priority level.").
		as(severity).relatedTo(objectsOf(slices.Compact([]*flowcontrolv1.FlowSchema{own, holder}))...)
}

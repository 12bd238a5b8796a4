package lint

import (
	"fmt"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// judgeServers finds servers whose reviews wait in the level that they hold up: FC501.
func (j *judge) judgeServers() {
	if len(j.Facts.Servers) == 0 {
		return
	}
	matching := slices.DeleteFunc(slices.Clone(j.schemas), func(schema *flowcontrolv1.FlowSchema) bool {
		return !j.levelExists(schema.Spec.PriorityLevelConfiguration.Name)
	})
	classifier := classify.New(forClassifier(matching))
	for i := range j.Facts.Servers {
		server := &j.Facts.Servers[i]
		if server.ServiceAccount == "" || len(server.Requests) == 0 {
			continue
		}
		for _, review := range reviewsOf(server) {
			at := classifier.Match(&review)
			if at < 0 {
				continue
			}
			own := matching[at]
			if holder := j.holder(server, own.Spec.PriorityLevelConfiguration.Name, matching); holder != nil {
				j.add(j.recursive(server, review.Resource, own, holder))
				break
			}
		}
	}
}

// reviewsOf returns the reviews that the server sends while a request waits for it.
func reviewsOf(server *Server) []flow.Attributes {
	review := flow.Attributes{
		User:              serviceaccount.MakeUsername(server.Namespace, server.ServiceAccount),
		Groups:            append(serviceaccount.MakeGroupNames(server.Namespace), user.AllAuthenticated),
		Verb:              "create",
		IsResourceRequest: true,
	}
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
	own := userSet{kind: oneServiceAccount, namespace: server.Namespace, name: server.ServiceAccount}
	for _, schema := range schemas {
		if schema.Spec.PriorityLevelConfiguration.Name != level || j.shadowed[schema.Name] {
			continue
		}
		for _, rule := range rulesOf(schema) {
			others := slices.ContainsFunc(rule.users, func(users userSet) bool { return users != own })
			if others && slices.ContainsFunc(rule.ResourceRules, func(a flowcontrolv1.ResourcePolicyRule) bool {
				return slices.ContainsFunc(server.Requests, func(b flowcontrolv1.ResourcePolicyRule) bool { return resourceRulesIntersect(&a, &b) })
			}) {
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

// forClassifier returns the schemas in the form of package classify, in the same order,
// which is the matching order.
func forClassifier(schemas []*flowcontrolv1.FlowSchema) []rules.Schema {
	converted := make([]rules.Schema, len(schemas))
	for i, schema := range schemas {
		converted[i] = rules.Schema{Name: schema.Name, Precedence: schema.Spec.MatchingPrecedence}
		for k := range schema.Spec.Rules {
			converted[i].Rules = append(converted[i].Rules, classifyRule(&schema.Spec.Rules[k]))
		}
	}
	return converted
}

func classifyRule(rule *flowcontrolv1.PolicyRulesWithSubjects) rules.Rule {
	var converted rules.Rule
	for _, subject := range rule.Subjects {
		switch {
		case subject.Kind == flowcontrolv1.SubjectKindUser && subject.User != nil:
			converted.Subjects = append(converted.Subjects, rules.Subject{Kind: rules.User, Name: subject.User.Name})
		case subject.Kind == flowcontrolv1.SubjectKindGroup && subject.Group != nil:
			converted.Subjects = append(converted.Subjects, rules.Subject{Kind: rules.Group, Name: subject.Group.Name})
		case subject.Kind == flowcontrolv1.SubjectKindServiceAccount && subject.ServiceAccount != nil:
			account := subject.ServiceAccount
			converted.Subjects = append(converted.Subjects, rules.Subject{Kind: rules.ServiceAccount, Namespace: account.Namespace, Name: account.Name})
		}
	}
	for _, r := range rule.ResourceRules {
		converted.ResourceRules = append(converted.ResourceRules, rules.ResourceRule(r))
	}
	for _, r := range rule.NonResourceRules {
		converted.NonResourceRules = append(converted.NonResourceRules, rules.NonResourceRule{Verbs: r.Verbs, URLs: r.NonResourceURLs})
	}
	return converted
}

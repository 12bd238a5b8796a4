package lint

import (
	"strings"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/names"
)

// ruleCases are the cases of FC1xx.
func ruleCases() []checkCase {
	first := func(change func(*flowcontrolv1.PolicyRulesWithSubjects)) change {
		return func(_ *Bundle, schema *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			change(&schema.Spec.Rules[0])
		}
	}
	resource := func(change func(*flowcontrolv1.ResourcePolicyRule)) change {
		return first(func(rule *flowcontrolv1.PolicyRulesWithSubjects) { change(&rule.ResourceRules[0]) })
	}
	subject := func(subjects ...flowcontrolv1.Subject) change {
		return first(func(rule *flowcontrolv1.PolicyRulesWithSubjects) { rule.Subjects = subjects })
	}
	apiGroups := func(groups ...string) change {
		return resource(func(rule *flowcontrolv1.ResourcePolicyRule) { rule.APIGroups = groups })
	}
	resources := func(names ...string) change {
		return resource(func(rule *flowcontrolv1.ResourcePolicyRule) { rule.Resources = names })
	}
	verbs := func(verbs ...string) change {
		return resource(func(rule *flowcontrolv1.ResourcePolicyRule) { rule.Verbs = verbs })
	}
	urls := func(verb string, urls ...string) change {
		return first(func(rule *flowcontrolv1.PolicyRulesWithSubjects) {
			rule.NonResourceRules[0] = flowcontrolv1.NonResourcePolicyRule{Verbs: []string{verb}, NonResourceURLs: urls}
		})
	}
	level := func(name string) change {
		return func(_ *Bundle, schema *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			schema.Spec.PriorityLevelConfiguration.Name = name
		}
	}
	beside := func(precedence int32, name, level string, subject flowcontrolv1.Subject) change {
		return func(bundle *Bundle, _ *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			other := everything(name, precedence, subject)
			other.Spec.PriorityLevelConfiguration.Name = level
			bundle.FlowSchemas = append(bundle.FlowSchemas, &other)
			bundle.Only = []Object{schemaObject("mine"), schemaObject(name)}
		}
	}
	noFacts := func(with change) change {
		return func(bundle *Bundle, schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
			bundle.Facts = Facts{}
			with(bundle, schema, level)
		}
	}
	byNamespace := func(subject flowcontrolv1.Subject, namespace string) change {
		return func(_ *Bundle, schema *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			schema.Spec.DistinguisherMethod.Type = flowcontrolv1.FlowDistinguisherMethodByNamespaceType
			schema.Spec.Rules[0].Subjects = []flowcontrolv1.Subject{subject}
			schema.Spec.Rules[0].ResourceRules[0].Namespaces = []string{namespace}
		}
	}
	only := func(bundle *Bundle, namespaces ...string) {
		bundle.FlowSchemas[len(bundle.FlowSchemas)-1].Spec.Rules[0].ResourceRules[0].Namespaces = namespaces
	}
	const (
		rule    = "spec.rules[0].resourceRules[0]"
		scope   = "warning " + rule + ".clusterScope"
		group   = "warning " + rule + ".apiGroups[0]"
		name    = "warning " + rule + ".resources[0]"
		verb    = "warning " + rule + ".verbs[0]"
		url     = "warning spec.rules[0].nonResourceRules[0].nonResourceURLs[0]"
		urlVerb = "warning spec.rules[0].nonResourceRules[0].verbs[0]"
		who     = "spec.rules[0].subjects[0]."
	)
	const expiresField = "metadata.annotations[" + names.ExpiresAnnotation + "]"
	expires := func(at string) change {
		return func(bundle *Bundle, schema *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			bundle.Now = time.Date(2026, 1, 2, 15, 4, 6, 0, time.UTC)
			schema.Annotations = map[string]string{names.ExpiresAnnotation: at}
		}
	}
	worker := anAccount("team", "worker")
	return []checkCase{
		{"a level that does not exist", MissingLevel, level("absent"), []string{"error spec.priorityLevelConfiguration.name"}},
		{"a mandatory level that is not stored", MissingLevel, func(bundle *Bundle, schema *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			bundle.Defaults, bundle.PriorityLevels = Defaults{}, nil
			bundle.FlowSchemas = []*flowcontrolv1.FlowSchema{schema}
			schema.Spec.PriorityLevelConfiguration.Name = "catch-all"
		}, nil},
		{"no rules", NoRules, func(_ *Bundle, schema *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			schema.Spec.Rules = nil
		}, []string{"warning spec.rules"}},
		{"a rule", NoRules, level("mine"), nil},
		{"one before it takes all", NeverMatches, beside(999, "before", "mine", anAccount("team", "*")), []string{"warning spec.matchingPrecedence"}},
		{"one after it would take all", NeverMatches, beside(1001, "after", "mine", anAccount("team", "*")), nil},
		{"one before it takes all of it and of another", NeverMatches, func(bundle *Bundle, schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
			beside(999, "before", "mine", anAccount("team", "*"))(bundle, schema, level)
			beside(1001, "after", "mine", anAccount("team", "*"))(bundle, schema, level)
			bundle.Only = []Object{schemaObject("before")}
		}, []string{"warning spec.matchingPrecedence"}},
		{"one before all built-in ones takes all", NeverMatches, func(bundle *Bundle, schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
			beside(5, "before", "workload-low", aGroup(wildcard))(bundle, schema, level)
			bundle.Only = nil
		}, []string{"warning spec.matchingPrecedence"}},
		{"meant for a time that is over", Expired, expires("2026-01-02T15:04:05Z"), []string{"warning " + expiresField}},
		{"meant for a time to come", Expired, expires("2026-01-02T15:04:07Z"), []string{"info " + expiresField}},
		{"meant for something else", Expired, expires("an hour"), []string{"warning " + expiresField}},
		{"meant for good", Expired, level("mine"), nil},
		{"one before it has no level", NeverMatches, beside(999, "before", "absent", anAccount("team", "*")), nil},
		{"one of the same precedence after it, to another level", SamePrecedence, beside(1000, "other", "workload-low", anAccount("team", "*")), []string{"warning spec.matchingPrecedence"}},
		{"one of the same precedence after it, to the same level", SamePrecedence, beside(1000, "other", "mine", anAccount("team", "*")), []string{"info spec.matchingPrecedence"}},
		{"one of the same precedence before it, which takes all", SamePrecedence, beside(1000, "first", "workload-low", anAccount("team", "*")), nil},
		{"one of the same precedence and other users", SamePrecedence, beside(1000, "other", "workload-low", anAccount("other", "*")), nil},
		{"one of another precedence", SamePrecedence, beside(1001, "other", "workload-low", anAccount("team", "*")), nil},
		{"all namespaces without cluster scope", NoClusterScope, resource(func(r *flowcontrolv1.ResourcePolicyRule) { r.ClusterScope = false }), []string{scope}},
		{"all namespaces without cluster scope, for lists", NoClusterScope, resource(func(r *flowcontrolv1.ResourcePolicyRule) { r.ClusterScope, r.Verbs = false, []string{"list"} }), []string{scope}},
		{"all namespaces without cluster scope, for gets", NoClusterScope, resource(func(r *flowcontrolv1.ResourcePolicyRule) { r.ClusterScope, r.Verbs = false, []string{"get"} }), nil},
		{"all namespaces without cluster scope, of subresources", NoClusterScope, resource(func(r *flowcontrolv1.ResourcePolicyRule) {
			r.ClusterScope, r.Resources = false, []string{"pods/status"}
		}), nil},
		{"one namespace", NoClusterScope, resource(func(r *flowcontrolv1.ResourcePolicyRule) { r.ClusterScope, r.Namespaces = false, []string{"team"} }), nil},
		{"lists in another rule", NoClusterScope, first(func(rule *flowcontrolv1.PolicyRulesWithSubjects) {
			lists := rule.ResourceRules[0]
			rule.ResourceRules[0].ClusterScope = false
			rule.ResourceRules = append(rule.ResourceRules, lists)
		}), nil},
		{"resources without a namespace", ImpossibleScope, resource(func(r *flowcontrolv1.ResourcePolicyRule) {
			r.ClusterScope, r.Resources, r.Verbs = false, []string{"nodes"}, []string{"get"}
		}), []string{scope}},
		{"neither namespaces nor cluster scope, which FC405 names", ImpossibleScope, resource(func(r *flowcontrolv1.ResourcePolicyRule) { r.ClusterScope, r.Namespaces = false, nil }), nil},
		{"gets of pods without a namespace", ImpossibleScope, resource(func(r *flowcontrolv1.ResourcePolicyRule) { r.Verbs, r.Namespaces = []string{"get"}, nil }), []string{scope}},
		{"writes of leases without a namespace, by the built-in table", ImpossibleScope, noFacts(resource(func(r *flowcontrolv1.ResourcePolicyRule) {
			r.Verbs, r.APIGroups, r.Resources, r.Namespaces = []string{"create", "update"}, []string{"coordination.k8s.io"}, []string{"leases"}, nil
		})), []string{scope}},
		{"lists of subresources", ImpossibleScope, resource(func(r *flowcontrolv1.ResourcePolicyRule) {
			r.Verbs, r.Resources = []string{"list"}, []string{"pods/status"}
		}), []string{scope}},
		{"gets beside lists of pods without a namespace", ImpossibleScope, resource(func(r *flowcontrolv1.ResourcePolicyRule) {
			r.Verbs, r.Namespaces = []string{"list", "get"}, nil
		}), []string{"info spec.rules[0].resourceRules[0].verbs[1]"}},
		{"lists of pods without a namespace", ImpossibleScope, resource(func(r *flowcontrolv1.ResourcePolicyRule) { r.Verbs, r.Namespaces = []string{"list"}, nil }), nil},
		{"subresources that are long-running", ImpossibleScope, resources("pods/exec", "pods/log", "nodes/proxy"), []string{"warning " + rule + ".resources"}},
		{"one of them beside pods", ImpossibleScope, resources("pods", "pods/attach"), []string{"info " + rule + ".resources"}},
		{"subresources that are not", ImpossibleScope, resources("pods/status", "pods/eviction"), nil},
		{"the verb proxy", ImpossibleScope, verbs("proxy"), []string{"warning " + rule + ".verbs"}},
		{"profiles", ImpossibleScope, urls("get", "/debug/pprof/*", "/debug/pprof/heap"), []string{url, "warning spec.rules[0].nonResourceRules[0].nonResourceURLs[1]"}},
		{"the path of profiles", ImpossibleScope, urls("get", "/debug/pprof"), []string{strings.Replace(url, "warning", "info", 1)}},
		{"profiles among other paths", ImpossibleScope, urls("get", "/debug/*", "/debug/flags/v"), nil},
		{"custom resources of unknown scope", ImpossibleScope, noFacts(resource(func(r *flowcontrolv1.ResourcePolicyRule) {
			r.Verbs, r.APIGroups, r.Resources, r.Namespaces = []string{"get"}, []string{"example.com"}, []string{"pods"}, nil
		})), nil},
		{"namespaces, whose requests have one", NoClusterScope, resource(func(r *flowcontrolv1.ResourcePolicyRule) {
			r.ClusterScope, r.Resources, r.Verbs = false, []string{"namespaces"}, []string{"get"}
		}), nil},
		{"a version", ImpossibleAPIGroup, apiGroups("apps/v1"), []string{group}},
		{"the core group as v1", ImpossibleAPIGroup, apiGroups("v1"), []string{group}},
		{"the core group as a word", ImpossibleAPIGroup, apiGroups("core"), []string{group}},
		{"a pattern", ImpossibleAPIGroup, apiGroups("*.example.org"), []string{group}},
		{"capitals", ImpossibleAPIGroup, apiGroups("Apps"), []string{group}},
		{"a group that begins like a version", ImpossibleAPIGroup, apiGroups("v2ray.example.org"), nil},
		{"the core group", ImpossibleAPIGroup, apiGroups(""), nil},
		{"a kind", ImpossibleResource, resources("Pod"), []string{name}},
		{"another kind", ImpossibleResource, resources("Widget"), []string{name}},
		{"a singular", ImpossibleResource, resources("networkpolicy"), []string{name}},
		{"a pattern", ImpossibleResource, resources("pods/*"), []string{name}},
		{"an API group", ImpossibleResource, resources("deployments.apps"), []string{name}},
		{"two subresources", ImpossibleResource, resources("pods/status/more"), []string{name}},
		{"a subresource", ImpossibleResource, resources("pods/status"), nil},
		{"all resources", ImpossibleResource, resources("*"), nil},
		{"capitals", ImpossibleVerb, verbs("List"), []string{verb}},
		{"a method", ImpossibleVerb, verbs("put"), []string{verb}},
		{"a word", ImpossibleVerb, verbs("read"), []string{verb}},
		{"a verb of RBAC", ImpossibleVerb, verbs("escalate"), []string{verb}},
		{"a verb of resources for URLs", ImpossibleVerb, urls("list", "/version"), []string{urlVerb}},
		{"a method of URLs that the API accepts in capitals nowhere", ImpossibleVerb, urls("POST", "/version"), []string{urlVerb}},
		{"a method of URLs that the API rejects", InvalidObject, urls("post", "/version"), []string{strings.Replace(urlVerb, "warning", "error", 1)}},
		{"verbs", ImpossibleVerb, verbs("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"), nil},
		{"a method for URLs", ImpossibleVerb, urls("patch", "/version"), nil},
		{"no slash", ImpossibleURL, urls("get", "version"), []string{url}},
		{"a host", ImpossibleURL, urls("get", "https://example.org/version"), []string{url}},
		{"a query", ImpossibleURL, urls("get", "/version?timeout=1s"), []string{url}},
		{"a resource", ImpossibleURL, urls("get", "/apis/apps/v1/deployments"), []string{url}},
		{"resources of the core group", ImpossibleURL, urls("get", "/api/v1/pods/*"), []string{url}},
		{"discovery", ImpossibleURL, urls("get", "/apis/apps/v1", "/api/v1/*", "/apis/*", "/api"), nil},
		{"a pattern of users", ImpossibleSubject, subject(aUser("team-*")), []string{"warning " + who + "user.name"}},
		{"a pattern of accounts as users", ImpossibleSubject, subject(aUser("system:serviceaccount:team:*")), []string{"warning " + who + "user.name"}},
		{"half of an account's user name", ImpossibleSubject, subject(aUser("system:serviceaccount:team")), []string{"warning " + who + "user.name"}},
		{"a group as a user", ImpossibleSubject, subject(aUser("system:nodes")), []string{"warning " + who + "user.name"}},
		{"a pattern of groups", ImpossibleSubject, subject(aGroup("team-*")), []string{"warning " + who + "group.name"}},
		{"an account as a group", ImpossibleSubject, subject(aGroup("system:serviceaccount:team:worker")), []string{"warning " + who + "group.name"}},
		{"accounts of all namespaces", ImpossibleSubject, subject(anAccount("*", "worker")), []string{"warning " + who + "serviceAccount.namespace"}},
		{"a pattern of accounts", ImpossibleSubject, subject(anAccount("team", "worker-*")), []string{"warning " + who + "serviceAccount.name"}},
		{"users, groups and accounts", ImpossibleSubject, subject(aUser("*"), aUser("system:kube-scheduler"), aGroup("system:nodes"), aGroup("*"), worker, anAccount("team", "*")), nil},
		{"an account of no namespace", UnknownNamespace, subject(anAccount("absent", "worker")), []string{"warning " + who + "serviceAccount"}},
		{"the group of no namespace", UnknownNamespace, subject(aGroup("system:serviceaccounts:absent")), []string{"warning " + who + "group.name"}},
		{"an account that does not exist", UnknownNamespace, subject(anAccount("team", "absent")), []string{"info " + who + "serviceAccount"}},
		{"the user name of an account that does not exist", UnknownNamespace, subject(aUser("system:serviceaccount:team:absent")), []string{"info " + who + "user.name"}},
		{"a rule for no namespace", UnknownNamespace, resource(func(r *flowcontrolv1.ResourcePolicyRule) { r.Namespaces = []string{"absent"} }), []string{"warning " + rule + ".namespaces[0]"}},
		{"unknown namespaces and accounts", UnknownNamespace, noFacts(func(bundle *Bundle, schema *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			schema.Spec.Rules[0].Subjects = []flowcontrolv1.Subject{anAccount("absent", "worker")}
			only(bundle, "absent")
		}), nil},
		{"an account that exists", UnknownNamespace, subject(anAccount("default", "default")), nil},
		{"a group that is not served", UnknownResource, apiGroups("absent.example.org"), []string{"info " + rule + ".apiGroups[0]", "info " + rule + ".resources[0]", "info " + rule + ".resources[1]"}},
		{"a resource of another group", UnknownResource, resources("deployments"), []string{"info " + rule + ".resources[0]"}},
		{"resources of any group", UnknownResource, first(func(rule *flowcontrolv1.PolicyRulesWithSubjects) {
			rule.ResourceRules[0].APIGroups, rule.ResourceRules[0].Resources = []string{"*"}, []string{"deployments", "absent"}
		}), []string{"info " + rule + ".resources[1]"}},
		{"unknown resources", UnknownResource, noFacts(apiGroups("absent.example.org")), nil},
		{"all authenticated clients to exempt", BroadExemption, func(_ *Bundle, schema *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			schema.Spec.PriorityLevelConfiguration.Name = "exempt"
			schema.Spec.Rules[0].Subjects = []flowcontrolv1.Subject{aUser("alice"), aGroup("system:authenticated")}
		}, []string{"warning spec.rules[0].subjects[1]"}},
		{"one account to exempt", BroadExemption, level("exempt"), nil},
		{"a comparison of more steps than are left", NotChecked, func(bundle *Bundle, _ *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			bundle.Steps = 1
		}, []string{"warning spec.rules"}},
		{"a comparison", NotChecked, level("mine"), nil},
		{"all authenticated clients, by namespace", MadeUpNamespaces, byNamespace(aGroup("system:authenticated"), "*"), []string{"info spec.rules[0].subjects[0]"}},
		{"a group of users, by namespace", MadeUpNamespaces, byNamespace(aGroup("developers"), "*"), []string{"info spec.rules[0].subjects[0]"}},
		{"one account, by namespace", MadeUpNamespaces, byNamespace(anAccount("team", "worker"), "*"), nil},
		{"all authenticated clients, by namespaces that are listed", MadeUpNamespaces, byNamespace(aGroup("system:authenticated"), "team"), nil},
		{"all authenticated clients, by user", MadeUpNamespaces, subject(aGroup("system:authenticated")), nil},
	}
}

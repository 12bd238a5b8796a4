package validation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/validation"
)

func validFlowSchema() *flowcontrol.FlowSchema {
	return &flowcontrol.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: "batch"},
		Spec: flowcontrol.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrol.PriorityLevelConfigurationReference{Name: "workload-low"},
			MatchingPrecedence:         9000,
			DistinguisherMethod:        &flowcontrol.FlowDistinguisherMethod{Type: flowcontrol.FlowDistinguisherMethodByUserType},
			Rules: []flowcontrol.PolicyRulesWithSubjects{{
				Subjects: []flowcontrol.Subject{{
					Kind: flowcontrol.SubjectKindUser,
					User: &flowcontrol.UserSubject{Name: "alice"},
				}},
				ResourceRules: []flowcontrol.ResourcePolicyRule{{
					Verbs: []string{"get", "list"}, APIGroups: []string{""}, Resources: []string{"pods"}, Namespaces: []string{"default"},
				}},
				NonResourceRules: []flowcontrol.NonResourcePolicyRule{{
					Verbs: []string{"get"}, NonResourceURLs: []string{"/metrics"},
				}},
			}},
		},
	}
}

type schemaCase struct {
	name   string
	change func(*flowcontrol.FlowSchema)
	want   []string
}

func (c schemaCase) run(t *testing.T) {
	schema := validFlowSchema()
	c.change(schema)
	before := schema.DeepCopy()
	requireErrors(t, validation.ValidateFlowSchema(schema), c.want)
	requireErrors(t, validation.ValidateFlowSchemaUpdate(validFlowSchema(), schema), c.want)
	requireUnchanged(t, before, schema)
}

func TestValidateFlowSchemaSpec(t *testing.T) {
	setPrecedence := func(precedence int32) func(*flowcontrol.FlowSchema) {
		return func(schema *flowcontrol.FlowSchema) { schema.Spec.MatchingPrecedence = precedence }
	}
	for _, c := range []schemaCase{
		{"a complete schema is valid", func(*flowcontrol.FlowSchema) {}, nil},
		{"a schema without rules is valid and matches nothing", func(s *flowcontrol.FlowSchema) { s.Spec.Rules = nil }, nil},
		{"a schema without a distinguisher is valid", func(s *flowcontrol.FlowSchema) { s.Spec.DistinguisherMethod = nil }, nil},
		{"two is the smallest precedence of an ordinary schema", setPrecedence(2), nil},
		{"ten thousand is the largest precedence", setPrecedence(10000), nil},
		{"precedence zero is rejected", setPrecedence(0), []string{"FieldValueInvalid spec.matchingPrecedence"}},
		{"a negative precedence is rejected", setPrecedence(-1), []string{"FieldValueInvalid spec.matchingPrecedence"}},
		{"a precedence above the largest is rejected", setPrecedence(10001), []string{"FieldValueInvalid spec.matchingPrecedence"}},
		{"precedence one is for the schema exempt only", setPrecedence(1), []string{"FieldValueInvalid spec.matchingPrecedence"}},
		{"an unknown distinguisher is rejected", func(s *flowcontrol.FlowSchema) { s.Spec.DistinguisherMethod.Type = "ByVerb" },
			[]string{"FieldValueNotSupported spec.distinguisherMethod.type"}},
		{"a distinguisher without a type is rejected", func(s *flowcontrol.FlowSchema) { s.Spec.DistinguisherMethod.Type = "" },
			[]string{"FieldValueNotSupported spec.distinguisherMethod.type"}},
		{"a level has to be named", func(s *flowcontrol.FlowSchema) { s.Spec.PriorityLevelConfiguration.Name = "" },
			[]string{"FieldValueRequired spec.priorityLevelConfiguration.name"}},
		{"a name that no level can have is rejected", func(s *flowcontrol.FlowSchema) { s.Spec.PriorityLevelConfiguration.Name = "a b" },
			[]string{"FieldValueInvalid spec.priorityLevelConfiguration.name"}},
		{"a name is required", func(s *flowcontrol.FlowSchema) { s.Name = "" }, []string{"FieldValueRequired metadata.name"}},
		{"a name is a DNS subdomain", func(s *flowcontrol.FlowSchema) { s.Name = "Batch" }, []string{"FieldValueInvalid metadata.name"}},
		{"a namespace is rejected", func(s *flowcontrol.FlowSchema) { s.Namespace = "default" }, []string{"FieldValueForbidden metadata.namespace"}},
		{"a label has to be well formed", func(s *flowcontrol.FlowSchema) { s.Labels = map[string]string{"a b": ""} }, []string{"FieldValueInvalid metadata.labels"}},
		{"a finalizer of a domain is valid", func(s *flowcontrol.FlowSchema) { s.Finalizers = []string{"example.com/hold"} }, nil},
		{"the standard finalizers are valid", func(s *flowcontrol.FlowSchema) { s.Finalizers = []string{"kubernetes", "orphan"} }, nil},
		{"an unqualified finalizer is rejected", func(s *flowcontrol.FlowSchema) { s.Finalizers = []string{"kubernetes", "hold"} },
			[]string{"FieldValueInvalid metadata.finalizers[1]"}},
	} {
		t.Run(c.name, c.run)
	}
}

func TestValidateSubject(t *testing.T) {
	user, group := &flowcontrol.UserSubject{Name: "*"}, &flowcontrol.GroupSubject{Name: "*"}
	account := &flowcontrol.ServiceAccountSubject{Namespace: "kube-system", Name: "*"}
	accountNamed := func(namespace, name string) flowcontrol.Subject {
		return flowcontrol.Subject{Kind: "ServiceAccount", ServiceAccount: &flowcontrol.ServiceAccountSubject{Namespace: namespace, Name: name}}
	}
	const path = "spec.rules[0].subjects[0]"
	for _, c := range []struct {
		name    string
		subject flowcontrol.Subject
		want    []string
	}{
		{"every user is valid", flowcontrol.Subject{Kind: "User", User: user}, nil},
		{"every group is valid", flowcontrol.Subject{Kind: "Group", Group: group}, nil},
		{"every service account of a namespace is valid", flowcontrol.Subject{Kind: "ServiceAccount", ServiceAccount: account}, nil},
		{"one service account is valid", accountNamed("kube-system", "node-controller"), nil},
		{"a user has to be given", flowcontrol.Subject{Kind: "User"}, []string{"FieldValueRequired " + path + ".user"}},
		{"a group has to be given", flowcontrol.Subject{Kind: "Group"}, []string{"FieldValueRequired " + path + ".group"}},
		{"a service account has to be given", flowcontrol.Subject{Kind: "ServiceAccount"}, []string{"FieldValueRequired " + path + ".serviceAccount"}},
		{"a user has to have a name", flowcontrol.Subject{Kind: "User", User: &flowcontrol.UserSubject{}}, []string{"FieldValueRequired " + path + ".user.name"}},
		{"a group has to have a name", flowcontrol.Subject{Kind: "Group", Group: &flowcontrol.GroupSubject{}}, []string{"FieldValueRequired " + path + ".group.name"}},
		{"a service account has to have a name and a namespace", accountNamed("", ""),
			[]string{"FieldValueRequired " + path + ".serviceAccount.name", "FieldValueRequired " + path + ".serviceAccount.namespace"}},
		{"a service account has a well-formed name and namespace", accountNamed("a.b", "a b"),
			[]string{"FieldValueInvalid " + path + ".serviceAccount.name", "FieldValueInvalid " + path + ".serviceAccount.namespace"}},
		{"no service account is in every namespace", accountNamed("*", "*"), []string{"FieldValueInvalid " + path + ".serviceAccount.namespace"}},
		{"a user has nothing else", flowcontrol.Subject{Kind: "User", User: user, Group: group, ServiceAccount: account},
			[]string{"FieldValueForbidden " + path + ".group", "FieldValueForbidden " + path + ".serviceAccount"}},
		{"a group has nothing else", flowcontrol.Subject{Kind: "Group", User: user, Group: group, ServiceAccount: account},
			[]string{"FieldValueForbidden " + path + ".user", "FieldValueForbidden " + path + ".serviceAccount"}},
		{"a service account has nothing else", flowcontrol.Subject{Kind: "ServiceAccount", User: user, Group: group, ServiceAccount: account},
			[]string{"FieldValueForbidden " + path + ".user", "FieldValueForbidden " + path + ".group"}},
		{"an unknown kind is the only error of its subject", flowcontrol.Subject{Kind: "user", User: &flowcontrol.UserSubject{}}, []string{"FieldValueNotSupported " + path + ".kind"}},
	} {
		t.Run(c.name, schemaCase{change: func(s *flowcontrol.FlowSchema) {
			s.Spec.Rules[0].Subjects[0] = c.subject
		}, want: c.want}.run)
	}
}

func TestValidatePolicyRules(t *testing.T) {
	const path = "spec.rules[0]"
	for _, c := range []struct {
		name   string
		change func(*flowcontrol.PolicyRulesWithSubjects)
		want   []string
	}{
		{"resource rules alone are valid", func(r *flowcontrol.PolicyRulesWithSubjects) { r.NonResourceRules = nil }, nil},
		{"non-resource rules alone are valid", func(r *flowcontrol.PolicyRulesWithSubjects) { r.ResourceRules = nil }, nil},
		{"a rule needs something to match", func(r *flowcontrol.PolicyRulesWithSubjects) { r.ResourceRules, r.NonResourceRules = nil, nil },
			[]string{"FieldValueRequired " + path}},
		{"a rule needs a subject", func(r *flowcontrol.PolicyRulesWithSubjects) { r.Subjects = nil },
			[]string{"FieldValueRequired " + path + ".subjects"}},
	} {
		t.Run(c.name, schemaCase{change: func(s *flowcontrol.FlowSchema) { c.change(&s.Spec.Rules[0]) }, want: c.want}.run)
	}
}

func TestValidateResourceRule(t *testing.T) {
	const path = "spec.rules[0].resourceRules[0]"
	for _, c := range []struct {
		name   string
		change func(*flowcontrol.ResourcePolicyRule)
		want   []string
	}{
		{"wildcards are valid", func(r *flowcontrol.ResourcePolicyRule) {
			r.Verbs, r.APIGroups, r.Resources, r.Namespaces = []string{"*"}, []string{"*"}, []string{"*"}, []string{"*"}
		}, nil},
		{"a rule of the cluster scope needs no namespace", func(r *flowcontrol.ResourcePolicyRule) { r.ClusterScope, r.Namespaces = true, nil }, nil},
		{"every list needs a member", func(r *flowcontrol.ResourcePolicyRule) { *r = flowcontrol.ResourcePolicyRule{} }, []string{
			"FieldValueRequired " + path + ".verbs", "FieldValueRequired " + path + ".apiGroups",
			"FieldValueRequired " + path + ".resources", "FieldValueRequired " + path + ".namespaces",
		}},
		{"a wildcard has to be alone", func(r *flowcontrol.ResourcePolicyRule) {
			r.Verbs, r.APIGroups, r.Resources, r.Namespaces = []string{"*", "get"}, []string{"", "*"}, []string{"pods", "*"}, []string{"a", "*", "*"}
		}, []string{
			"FieldValueInvalid " + path + ".verbs", "FieldValueInvalid " + path + ".apiGroups",
			"FieldValueInvalid " + path + ".resources", "FieldValueInvalid " + path + ".namespaces",
		}},
		{"unknown verbs are one error of the list", func(r *flowcontrol.ResourcePolicyRule) { r.Verbs = []string{"get", "GET", "post"} },
			[]string{"FieldValueNotSupported " + path + ".verbs"}},
		{"each malformed namespace is an error", func(r *flowcontrol.ResourcePolicyRule) {
			r.ClusterScope, r.Namespaces = true, []string{"a", "A", "", "b.c"}
		}, []string{
			"FieldValueInvalid " + path + ".namespaces[1]", "FieldValueInvalid " + path + ".namespaces[2]", "FieldValueInvalid " + path + ".namespaces[3]",
		}},
	} {
		t.Run(c.name, schemaCase{change: func(s *flowcontrol.FlowSchema) {
			c.change(&s.Spec.Rules[0].ResourceRules[0])
		}, want: c.want}.run)
	}
}

func TestValidateNonResourceRule(t *testing.T) {
	const path = "spec.rules[0].nonResourceRules[0]"
	const urlError = "FieldValueInvalid " + path + ".nonResourceURLs[0]"
	for _, c := range []struct {
		name string
		urls []string
		want []string
	}{
		{"every path is valid", []string{"*"}, nil},
		{"the root is valid", []string{"/"}, nil},
		{"a path is valid", []string{"/healthz/ping"}, nil},
		{"a prefix is valid", []string{"/apis/*"}, nil},
		{"the prefix of everything is valid", []string{"/*"}, nil},
		{"a tab is let pass, as kube-apiserver does", []string{"/a\tb"}, nil},
		{"a path is needed", nil, []string{"FieldValueRequired " + path + ".nonResourceURLs"}},
		{"a wildcard has to be alone", []string{"/a", "*"}, []string{"FieldValueInvalid " + path + ".nonResourceURLs"}},
		{"an empty path is rejected", []string{""}, []string{urlError}},
		{"a relative path is rejected", []string{"healthz"}, []string{urlError}},
		{"a blank is rejected", []string{"/a b"}, []string{urlError}},
		{"an empty segment is rejected", []string{"/a//b"}, []string{urlError}},
		{"a wildcard inside is rejected", []string{"/a/*/b"}, []string{urlError}},
		{"a wildcard for part of a segment is rejected", []string{"/a*"}, []string{urlError}},
		{"two wildcards are rejected", []string{"/*/*"}, []string{urlError}},
	} {
		t.Run(c.name, schemaCase{change: func(s *flowcontrol.FlowSchema) {
			s.Spec.Rules[0].NonResourceRules[0].NonResourceURLs = c.urls
		}, want: c.want}.run)
	}
	t.Run("a verb is needed", schemaCase{change: func(s *flowcontrol.FlowSchema) {
		s.Spec.Rules[0].NonResourceRules[0].Verbs = nil
	}, want: []string{"FieldValueRequired " + path + ".verbs"}}.run)
}

func TestValidateFlowSchemaStatus(t *testing.T) {
	schema := validFlowSchema()
	schema.Spec.MatchingPrecedence = 0
	schema.Status.Conditions = []flowcontrol.FlowSchemaCondition{
		{Type: flowcontrol.FlowSchemaConditionDangling}, {}, {Type: flowcontrol.FlowSchemaConditionDangling},
	}
	statusErrors := []string{"FieldValueRequired status.conditions[1].type", "FieldValueDuplicate status.conditions[2].type"}

	t.Run("a status update looks at the status only", func(t *testing.T) {
		requireErrors(t, validation.ValidateFlowSchemaStatusUpdate(validFlowSchema(), schema), statusErrors)
	})
	t.Run("a create looks at spec and status", func(t *testing.T) {
		requireErrors(t, validation.ValidateFlowSchema(schema), append(statusErrors, "FieldValueInvalid spec.matchingPrecedence"))
	})
}

func TestMessagesSayWhatIsValid(t *testing.T) {
	schema := validFlowSchema()
	schema.Finalizers = []string{"hold"}
	schema.Spec = flowcontrol.FlowSchemaSpec{
		MatchingPrecedence:  1,
		DistinguisherMethod: &flowcontrol.FlowDistinguisherMethod{},
		Rules: []flowcontrol.PolicyRulesWithSubjects{{}, {
			Subjects:         []flowcontrol.Subject{{}, {Kind: "User", Group: &flowcontrol.GroupSubject{}}, {Kind: "ServiceAccount", ServiceAccount: &flowcontrol.ServiceAccountSubject{}}},
			ResourceRules:    []flowcontrol.ResourcePolicyRule{{}, {Verbs: []string{"*", "*"}}},
			NonResourceRules: []flowcontrol.NonResourcePolicyRule{{NonResourceURLs: []string{"", "a", "/ ", "//", "/a*", "/*/*"}}},
		}},
	}
	for _, err := range append(validation.ValidateFlowSchema(schema), validation.ValidatePriorityLevelConfiguration(invalidInEachField())...) {
		says := strings.HasPrefix(err.Detail, "must ") || strings.HasPrefix(err.Detail, "may only ") || strings.HasPrefix(err.Detail, "supported values: ")
		if !says || strings.ContainsAny(err.Detail, "<>=") || strings.Contains(err.Detail, "should") {
			t.Errorf("%s: %q is not worded by the API conventions", err.Field, err.Detail)
		}
	}
}

// requireErrors requires these errors, each as "type path", in any order.
func requireErrors(t *testing.T, errs field.ErrorList, want []string) {
	t.Helper()
	var got []string
	for _, err := range errs {
		got = append(got, string(err.Type)+" "+err.Field)
	}
	sorted := slices.Sorted(slices.Values(want))
	slices.Sort(got)
	if diff := cmp.Diff(sorted, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("errors differ (-want +got):\n%s\n%v", diff, errs.ToAggregate())
	}
}

// requireUnchanged requires that validation does not change the object.
func requireUnchanged(t *testing.T, before, after any) {
	t.Helper()
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("validation changed the object (-before +after):\n%s", diff)
	}
}

package kubeapiserver

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const admissionPath = "/apis/admissionregistration.k8s.io/"

// policiesOf returns a list of a policy for each rule, named a, b and so on.
func policiesOf(rules ...string) string {
	var items []string
	for i, rule := range rules {
		items = append(items, `{"metadata": {"name": "`+string('a'+rune(i))+`"}, "spec": {"matchConstraints": {"resourceRules": [`+rule+`]}}}`)
	}
	return `{"items": [` + strings.Join(items, ",") + `]}`
}

func TestMutatingPoliciesThatDoNotApplyAreSaid(t *testing.T) {
	const (
		ours      = `{"apiGroups": ["flowcontrol.apiserver.k8s.io"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["flowschemas"]}`
		all       = `{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}`
		others    = `{"apiGroups": ["apps"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}`
		leases    = `{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["leases"]}`
		bindingsA = `{"items": [{"spec": {"policyName": "a"}}, {"spec": {"policyName": "b"}}]}`
		fine      = "[+]mutating-policies ok\n"
	)
	tests := []struct {
		name, version      string // the one that is served
		policies, bindings string
		code               int
		line               string
	}{
		{"none", "v1", `{}`, `{}`, 200, fine},
		{"a kube-apiserver that has no such policies", "", "", "", 404, fine},
		{"of this group", "v1", policiesOf(ours), bindingsA, 200, "[+]mutating-policies ok, but: 1 MutatingAdmissionPolicies of the cluster match"},
		{"of all groups, by its beta version", "v1beta1", policiesOf(all, ours), bindingsA, 200, "[+]mutating-policies ok, but: 2 MutatingAdmissionPolicies"},
		{"without a binding", "v1", policiesOf(ours), `{}`, 200, fine},
		{"of others", "v1", policiesOf(others, leases), bindingsA, 200, fine},
		{"unreadable", "v1", forbidden, forbidden, 403, "[+]mutating-policies ok, but: this server is not allowed to list the cluster's mutatingadmissionpolicies"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFront(t)
			for _, version := range []string{"v1", "v1beta1", "v1alpha1"} {
				for resource, body := range map[string]string{"mutatingadmissionpolicies": test.policies, "mutatingadmissionpolicybindings": test.bindings} {
					f.say(admissionPath+version+"/"+resource, http.StatusNotFound, statusBody(404))
					if version == test.version {
						f.say(admissionPath+version+"/"+resource, test.code, body)
					}
				}
			}
			m := f.monitor(t, nil)
			m.Round(t.Context())
			require.Contains(t, readyz(m), test.line)
			assert.NotContains(t, readyz(m), "the policies: a", "names are for the log")

			// Soon afterwards it is not asked again; a minute later it is.
			if test.version != "" {
				for _, resource := range []string{"mutatingadmissionpolicies", "mutatingadmissionpolicybindings"} {
					f.say(admissionPath+test.version+"/"+resource, http.StatusOK, `{}`)
				}
				m.Round(t.Context())
				require.Contains(t, readyz(m), test.line)
				f.clock.Step(policiesInterval)
				m.Round(t.Context())
				require.Contains(t, readyz(m), fine)
			}
		})
	}
}

package kubeapiserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
)

// policiesInterval is the time between two looks at the policies; there may be hundreds.
const policiesInterval = time.Minute

// mutatingPolicies looks for MutatingAdmissionPolicies that match the objects of this server.
// Kubernetes has them by default since 1.36. A server whose library is older, or whose plug-in
// is disabled, applies none, and others apply version v1 alone, so their changes would
// silently be missing here.
type mutatingPolicies struct {
	client rest.Interface
	clock  clock.PassiveClock

	next time.Time // of the next look; the check runs in one goroutine
	last *failure
}

func (m *mutatingPolicies) check(ctx context.Context) *failure {
	if now := m.clock.Now(); !now.Before(m.next) {
		m.next = now.Add(policiesInterval)
		m.last = m.look(ctx)
	}
	return m.last
}

// look returns a failure if policies match that are bound, or if that cannot be known.
func (m *mutatingPolicies) look(ctx context.Context) *failure {
	var policies struct{ Items []mutatingPolicy }
	var bindings struct{ Items []mutatingBinding }
	err := m.list(ctx, "mutatingadmissionpolicies", &policies)
	if apierrors.IsNotFound(err) {
		return nil // this kube-apiserver has none
	}
	if err = bothErrors(err, m.list(ctx, "mutatingadmissionpolicybindings", &bindings)); err != nil {
		return explain(err, "this server is not allowed to list the cluster's mutatingadmissionpolicies and mutatingadmissionpolicybindings, which do not apply to its objects, "+
			"so the failure would go unnoticed: bind the ClusterRole flowcontrol-apiserver:admission of artifacts/base to this server's user")
	}
	var ignored []string
	for _, policy := range policies.Items {
		if policy.matches() && slices.ContainsFunc(bindings.Items, func(b mutatingBinding) bool { return b.Spec.PolicyName == policy.Name }) {
			ignored = append(ignored, policy.Name)
		}
	}
	if len(ignored) == 0 {
		return nil
	}
	return &failure{
		message: fmt.Sprintf("%d MutatingAdmissionPolicies of the cluster match FlowSchemas or PriorityLevelConfigurations, and do not apply here, because this server is built on a Kubernetes before 1.36, its plug-in MutatingAdmissionPolicy is disabled, or the cluster does not serve them in version v1: "+
			"use a mutating webhook instead, or exclude the group flowcontrol.apiserver.k8s.io from them", len(ignored)),
		cause: fmt.Errorf("the policies: %s", strings.Join(ignored, ", ")),
	}
}

// bothErrors returns the errors as one of a single line; either may be nil.
func bothErrors(first, second error) error {
	if first == nil || second == nil {
		return cmp.Or(first, second)
	}
	return fmt.Errorf("%w; %w", first, second)
}

// list reads a resource in the newest version that is served.
func (m *mutatingPolicies) list(ctx context.Context, resource string, into any) (err error) {
	for _, version := range []string{"v1", "v1beta1", "v1alpha1"} {
		result := m.client.Get().AbsPath("/apis/admissionregistration.k8s.io/"+version, resource).Do(ctx)
		if err = result.Error(); err == nil {
			body, err := result.Raw()
			if err != nil {
				return err
			}
			return json.Unmarshal(body, into)
		}
		if !apierrors.IsNotFound(err) {
			return err
		}
	}
	return err
}

// mutatingPolicy is what of a MutatingAdmissionPolicy says which requests it matches. All
// versions have these fields, and the API of 1.33 lacks v1.
type mutatingPolicy struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		MatchConstraints struct {
			ResourceRules []admissionregistrationv1.RuleWithOperations `json:"resourceRules"`
		} `json:"matchConstraints"`
	} `json:"spec"`
}

type mutatingBinding struct {
	Spec struct {
		PolicyName string `json:"policyName"`
	} `json:"spec"`
}

// matches reports whether a policy may match objects of this server.
func (p mutatingPolicy) matches() bool {
	return slices.ContainsFunc(p.Spec.MatchConstraints.ResourceRules, func(rule admissionregistrationv1.RuleWithOperations) bool {
		return ruleMayMatch(&rule.Rule)
	})
}

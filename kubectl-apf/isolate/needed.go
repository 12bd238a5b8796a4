package isolate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// ofControlPlanes are users that kubeadm and Azure give to administrators, who must undo a demotion, and to parts of
// the control plane. Amazon's begin with eks:.
var ofControlPlanes = []string{"kubernetes-admin", "kubernetes-super-admin", "kube-apiserver-kubelet-client", "aksService", "masterclient"} //nolint:gochecknoglobals // constant

// demotable is an error about a user whom the cluster needs to live.
func demotable(user string) error {
	namespace, _, err := serviceaccount.SplitUsername(user)
	switch {
	case user == rules.All || strings.HasPrefix(user, "system:") && err != nil:
		return fmt.Errorf("%q is not demoted: the cluster depends on it, or it is not one user: name a user or a service account, such as system:serviceaccount:NAMESPACE:NAME", user)
	case strings.ContainsFunc(user, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("%q is not demoted: it has characters that cannot be shown", user)
	case slices.Contains(ofControlPlanes, user) || strings.HasPrefix(user, "eks:"):
		return fmt.Errorf("%q is not demoted: it is the administrator, or a part of the control plane, of clusters by kubeadm or a cloud", user)
	case strings.HasPrefix(namespace, "kube-") || strings.HasPrefix(namespace, "openshift-") || slices.Contains(networkAndStorage, namespace):
		return fmt.Errorf("%q is not demoted: the cluster depends on service accounts of the namespace %s", user, namespace)
	default:
		return nil
	}
}

// networkAndStorage are the namespaces of network and storage drivers by their installation guides, those in
// kube-* apart: Calico, Cilium, MetalLB, Longhorn, Rook and OpenEBS.
var networkAndStorage = []string{"calico-system", "calico-apiserver", "tigera-operator", "cilium", "metallb-system", "longhorn-system", "rook-ceph", "openebs"} //nolint:gochecknoglobals // constant

// admission are the namespaces of projects whose webhooks hold up requests of others. Some of their accounts serve
// none, such as the ones of Kyverno's reports, and a cluster tells which.
var admission = []string{"cert-manager", "gatekeeper-system", "istio-system", "kyverno", "linkerd"} //nolint:gochecknoglobals // constant

// parts are what only parts of a cluster may do.
var parts = []struct { //nolint:gochecknoglobals // constant
	verb, group, resource, subresource string
	what                               string
}{
	{"patch", "", "nodes", "status", "reports the status of nodes, as network drivers and cloud controllers do"},
	{"update", "", "nodes", "status", "reports the status of nodes, as network drivers and cloud controllers do"},
	{"create", "", "pods", "binding", "schedules pods"},
	{"patch", "storage.k8s.io", "volumeattachments", "status", "attaches volumes"},
	{"update", "storage.k8s.io", "volumeattachments", "status", "attaches volumes"},
	{"create", "", "persistentvolumes", "", "provisions volumes"},
	{"update", "", "services", "status", "provides load balancers"},
	{"patch", "", "services", "status", "provides load balancers"},
}

// isNotNeeded is an error if the cluster shows that it depends on the user: others wait for it, its pods are
// critical, or it may do what only parts of a cluster do. What is not known is a note.
func (p *plan) isNotNeeded() error {
	for i := range p.Facts.Servers {
		server := &p.Facts.Servers[i]
		if slices.Contains(p.Accounts, source.Account{Namespace: server.Namespace, Name: server.ServiceAccount}) {
			return fmt.Errorf("%q is not demoted: requests of others wait for it, since it serves %s", p.Demote, server.Object)
		}
	}
	if len(p.Accounts) == 0 {
		return nil
	}
	if p.May == nil || p.Critical == nil {
		return p.unknown(source.ErrNoReviews)
	}
	pod, err := p.Critical(p.Accounts[0])
	switch {
	case err != nil:
		return p.unknown(err)
	case pod != "":
		return fmt.Errorf("%q is not demoted: its pod %s has the priority of a critical part of the cluster", p.Demote, pod)
	}
	return p.isNoPart()
}

// isNoPart is an error if the account may do what only parts of a cluster do. One that may do the same to all
// resources tells nothing by that.
func (p *plan) isNoPart() error {
	may := func(verb, group, resource, subresource string) (allowed bool, err error) {
		return p.May(p.Accounts[0], authorizationv1.ResourceAttributes{Verb: verb, Group: group, Resource: resource, Subresource: subresource})
	}
	for _, of := range parts {
		allowed, err := may(of.verb, of.group, of.resource, of.subresource)
		if err != nil {
			return p.unknown(err)
		}
		if !allowed {
			continue
		}
		switch everything, err := may(of.verb, rules.All, rules.All, ""); {
		case err != nil:
			return p.unknown(err)
		case !everything:
			return fmt.Errorf("%q is not demoted: by its permissions, it %s", p.Demote, of.what)
		}
		p.notef("%s may %s all resources, so its permissions do not tell whether the cluster depends on it.", p.Accounts[0], of.verb)
	}
	return nil
}

// unknown notes that the cluster does not tell whether it depends on the account. Then the namespaces of projects
// with webhooks count.
func (p *plan) unknown(err error) error {
	account := p.Accounts[0]
	if slices.Contains(admission, account.Namespace) {
		return fmt.Errorf("%q is not demoted: the namespace %s usually has webhooks for which others wait, and no cluster tells whether the account serves one", p.Demote, account.Namespace)
	}
	if !errors.Is(err, source.ErrNoReviews) {
		p.notef("%s", err)
	}
	p.notef("It is not known whether the cluster depends on %s: check that it runs no network or storage driver, scheduler or webhook.", account)
	return nil
}

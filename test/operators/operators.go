// Package operators has manifests of operators, with the rules of their public charts that
// matter for flow control, and their requests, for tests that isolate them.
package operators

import (
	"embed"
	"strings"
)

//go:embed testdata
var files embed.FS

// Operator is an operator, and how it is isolated.
type Operator struct {
	// File is its manifest below testdata.
	File string
	// Flags are for kubectl apf isolate.
	Flags []string
	// Name is its level's.
	Name string
	// Requests are one of each kind.
	Requests []Request
}

// Manifest returns the manifest.
func (o Operator) Manifest() string {
	text, err := files.ReadFile("testdata/" + o.File)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// Request is a request, and where it belongs.
type Request struct {
	// Line is the request, in the form of kubectl apf explain.
	Line string
	// Schema and Level are what it must get.
	Schema, Level string
}

// by returns requests of a service account. Each line begins with what it is: a lease, an
// event, other, or the name of a built-in flow schema of the level exempt.
func by(name, account, lines string) []Request {
	var all []Request
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		what, request, _ := strings.Cut(strings.TrimSpace(line), " ")
		r := Request{Line: request + " --as=system:serviceaccount:" + account}
		switch what {
		case "lease":
			r.Schema, r.Level = name+"-leases", "leader-election"
		case "event":
			r.Schema, r.Level = name+"-events", "workload-low"
		case "other":
			r.Schema, r.Level = name, name
		default:
			r.Schema, r.Level = what, "exempt"
		}
		all = append(all, r)
	}
	return all
}

// All returns the operators: five that many clusters have, and the operators in reports.
func All() []Operator { return append(wellKnown(), reported()...) }

func wellKnown() []Operator {
	return []Operator{
		{"cert-manager.yaml", []string{"--service-account=cert-manager/cert-manager"}, "cert-manager", by("cert-manager", "cert-manager:cert-manager", `
			lease get leases cert-manager-controller -n kube-system
			lease create leases -n kube-system
			lease update leases cert-manager-controller -n kube-system
			event create events -n shop
			event patch events issued -n shop
			other list secrets -A
			other watch certificates.cert-manager.io -A
			other update certificates.cert-manager.io/status front -n shop
			other create pods -n shop
			other get leases other -n cert-manager
			other get /api
			probes get /readyz
		`)},
		{
			"flux.yaml", []string{"--service-account=flux-system/source-controller", "--service-account=flux-system/kustomize-controller", "--service-account=flux-system/helm-controller"},
			"flux-system", fluxRequests(),
		},
		{"kyverno.yaml", []string{"--service-account=kyverno/kyverno-admission-controller"}, "kyverno-admission-controller", by("kyverno-admission-controller", "kyverno:kyverno-admission-controller", `
			lease update leases kyverno -n kyverno
			event create events.events.k8s.io -n shop
			event create events -n shop
			other create subjectaccessreviews.authorization.k8s.io
			other list pods -A
			other get leases other -n shop
			other update validatingwebhookconfigurations.admissionregistration.k8s.io kyverno
			other deletecollection policies.kyverno.io -n shop
		`)},
		{"cnpg.yaml", []string{"--service-account=cnpg-system/cnpg-manager", "--name=cnpg"}, "cnpg", by("cnpg", "cnpg-system:cnpg-manager", `
			lease update leases db9c8771.cnpg.io -n cnpg-system
			event patch events failover -n shop
			other create pods -n shop
			other watch nodes
			other get clusters.postgresql.cnpg.io/status db -n shop
			other create jobs.batch -n shop
		`)},
		{
			"argocd.yaml", []string{"--service-account=argocd/argocd-application-controller", "--service-account=argocd/argocd-server"},
			"argocd", argoRequests(),
		},
	}
}

func fluxRequests() []Request {
	return append(by("flux-system", "flux-system:kustomize-controller", `
		lease update leases kustomize -n flux-system
		event create events -n shop
		other patch deployments.apps front -n shop
		other head /livez/ping
	`), by("flux-system", "flux-system:source-controller", `
		lease create leases -n flux-system
		event patch events fetched -n flux-system
		other list leases -A
		other list gitrepositories.source.toolkit.fluxcd.io -A
		other create serviceaccounts/token default -n shop
	`)...)
}

func argoRequests() []Request {
	return append(by("argocd", "argocd:argocd-server", `
		event create events -n argocd
		other list events -A
		other delete pods web-1 -n shop
		other list applications.argoproj.io -A
	`), by("argocd", "argocd:argocd-application-controller", `
		lease update leases argocd -n argocd
		event create events -n argocd
		other list pods -A
		other patch clusterroles.rbac.authorization.k8s.io x
		other get /openapi/v2
		probes get /healthz
	`)...)
}

func reported() []Operator {
	return []Operator{
		{"openshift.yaml", []string{"--service-account=openshift-kube-apiserver-operator/kube-apiserver-operator", "--name=kas-operator", "--seats=10"}, "kas-operator",
			by("kas-operator", "openshift-kube-apiserver-operator:kube-apiserver-operator", `
				lease update leases lock -n openshift-kube-apiserver-operator
				event create events -n openshift-kube-apiserver-operator
				other list pods -n openshift-kube-apiserver
				other update kubeapiservers.operator.openshift.io/status cluster
			`)},
		{"shop.yaml", []string{"--service-account=shop/web", "--seats=5"}, "shop-web", by("shop-web", "shop:web", `
			other list pods --limit=500 -n shop
			other list events -A
			other update leases x -n shop
		`)},
		{"ray.yaml", []string{"--service-account=train-7/ray-op", "--seats=5"}, "train-7-ray-op", by("train-7-ray-op", "train-7:ray-op", `
			lease create leases -n train-7
			event patch events.events.k8s.io e -n train-7
			other create pods -n train-7
			other list pods --limit=500 -n train-7
			other create events -n train-7
		`)},
		{"tenants.yaml", []string{"--service-account=tenants/controller", "--seats=5"}, "tenants-controller", by("tenants-controller", "tenants:controller", `
			lease get leases x -n a-tenant
			other update pods web-1 -n a-tenant
			other create events -n a-tenant
		`)},
	}
}

// Others returns requests of users that belong to no operator.
func Others() []string {
	users := []string{
		"alice --as-group=devs", "root --as-group=system:masters", "system:anonymous", "system:kube-scheduler", "system:kube-controller-manager",
		"system:node:n1 --as-group=system:nodes", "system:serviceaccount:kube-system:deployment-controller", "system:serviceaccount:kube-system:cert-manager",
		"system:serviceaccount:cert-manager:cert-manager-webhook", "system:serviceaccount:flux-system:default", "system:serviceaccount:argocd:argocd-redis",
		"system:serviceaccount:shop:default", "system:serviceaccount:ci:web",
	}
	requests := []string{
		"list pods -A", "update leases cert-manager-controller -n kube-system", "update leases x -n flux-system", "create events -n shop",
		"patch deployments.apps front -n shop", "get /readyz", "get /api",
	}
	var all []string
	for _, user := range users {
		for _, request := range requests {
			all = append(all, request+" --as="+user)
		}
	}
	return all
}

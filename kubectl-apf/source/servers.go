package source

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// apiServiceList is the part of an APIServiceList that is used. Its Go types are in
// k8s.io/kube-aggregator, which this project does not need otherwise.
type apiServiceList struct {
	Items []struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
		Spec     struct {
			Group   string `json:"group"`
			Service *struct {
				Namespace string `json:"namespace"`
				Name      string `json:"name"`
			} `json:"service"`
		} `json:"spec"`
	} `json:"items"`
}

// pagesOf returns the pages of a list, whose type is L; none if it cannot be read.
func pagesOf[L any](ctx context.Context, o *observer, group, resource string) []L {
	raw, err := o.list(ctx, "/apis/"+group+"/v1/"+resource, "application/json", nil)
	pages := make([]L, len(raw))
	for i := range raw {
		if err == nil {
			err = json.Unmarshal(raw[i], &pages[i])
		}
	}
	if err != nil {
		o.miss(resource, access{verb: "list", resource: resource + "." + group}, err)
		return nil
	}
	return pages
}

// apiServices reads the aggregated API servers.
func (o *observer) apiServices(ctx context.Context) {
	everything := []string{flowcontrolv1.ResourceAll}
	for _, page := range pagesOf[apiServiceList](ctx, o, "apiregistration.k8s.io", "apiservices") {
		for _, item := range page.Items {
			if item.Spec.Service == nil {
				continue // served by kube-apiserver itself
			}
			o.addServer(Server{
				Kind: "APIService", Name: item.Metadata.Name,
				Namespace: item.Spec.Service.Namespace, Service: item.Spec.Service.Name,
				Requests: []flowcontrolv1.ResourcePolicyRule{{
					Verbs: everything, APIGroups: []string{item.Spec.Group}, Resources: everything,
					ClusterScope: true, Namespaces: everything,
				}},
			})
		}
	}
}

func (o *observer) addServer(server Server) {
	o.update(func(f *Facts) { f.Servers = append(f.Servers, server) })
}

// webhooks reads the webhooks of both kinds.
func (o *observer) webhooks(ctx context.Context) {
	const group = "admissionregistration.k8s.io"
	for _, page := range pagesOf[admissionregistrationv1.ValidatingWebhookConfigurationList](ctx, o, group, "validatingwebhookconfigurations") {
		for i := range page.Items {
			for _, hook := range page.Items[i].Webhooks {
				o.addServer(webhookServer("ValidatingWebhookConfiguration", page.Items[i].Name, hook.ClientConfig.Service, hook.Rules))
			}
		}
	}
	for _, page := range pagesOf[admissionregistrationv1.MutatingWebhookConfigurationList](ctx, o, group, "mutatingwebhookconfigurations") {
		for i := range page.Items {
			for _, hook := range page.Items[i].Webhooks {
				o.addServer(webhookServer("MutatingWebhookConfiguration", page.Items[i].Name, hook.ClientConfig.Service, hook.Rules))
			}
		}
	}
}

func webhookServer(kind, name string, service *admissionregistrationv1.ServiceReference, rules []admissionregistrationv1.RuleWithOperations) Server {
	server := Server{Kind: kind, Name: name}
	if service != nil {
		server.Namespace, server.Service = service.Namespace, service.Name
	}
	for i := range rules {
		server.Requests = append(server.Requests, policyRule(&rules[i]))
	}
	return server
}

// policyRule returns the requests that a rule of a webhook selects.
func policyRule(rule *admissionregistrationv1.RuleWithOperations) flowcontrolv1.ResourcePolicyRule {
	out := flowcontrolv1.ResourcePolicyRule{APIGroups: rule.APIGroups, Resources: rule.Resources}
	for _, operation := range rule.Operations {
		switch operation {
		case admissionregistrationv1.Create:
			out.Verbs = append(out.Verbs, "create")
		case admissionregistrationv1.Update:
			out.Verbs = append(out.Verbs, "update", "patch")
		case admissionregistrationv1.Delete:
			out.Verbs = append(out.Verbs, "delete", "deletecollection")
		case admissionregistrationv1.Connect:
			out.Verbs = append(out.Verbs, "get", "create")
		default:
			out.Verbs = []string{flowcontrolv1.VerbAll}
		}
	}
	if rule.Scope == nil || *rule.Scope != admissionregistrationv1.ClusterScope {
		out.Namespaces = []string{flowcontrolv1.NamespaceEvery}
	}
	out.ClusterScope = rule.Scope == nil || *rule.Scope != admissionregistrationv1.NamespacedScope
	return out
}

// podsOfServers finds the service account of each server through one of its pods.
func (o *observer) podsOfServers(ctx context.Context) {
	accounts := map[string]string{}
	failed := map[string]replica.Missing{}
	for i := range o.facts.Servers {
		server := &o.facts.Servers[i]
		if server.Service == "" {
			continue
		}
		key := server.Namespace + "/" + server.Service
		if _, done := accounts[key]; !done {
			account, missing := o.accountOf(ctx, server.Namespace, server.Service)
			accounts[key] = account
			if missing != nil {
				failed[missing.Why] = *missing
			}
		}
		server.ServiceAccount = accounts[key]
	}
	for _, why := range slices.Sorted(maps.Keys(failed)) {
		o.facts.Missing = append(o.facts.Missing, failed[why])
	}
}

func (o *observer) accountOf(ctx context.Context, namespace, name string) (string, *replica.Missing) {
	path := "/api/v1/namespaces/" + namespace + "/"
	var service corev1.Service
	err := o.getJSON(ctx, path+"services/"+name, &service)
	if err != nil {
		return "", o.missOfPods(access{verb: "get", resource: "services", namespace: namespace}, err)
	}
	if len(service.Spec.Selector) == 0 {
		return "", nil
	}
	query := url.Values{"labelSelector": {labels.SelectorFromSet(service.Spec.Selector).String()}, "limit": {"1"}}
	var pods corev1.PodList
	if err := o.getJSON(ctx, path+"pods?"+query.Encode(), &pods); err != nil {
		return "", o.missOfPods(access{verb: "list", resource: "pods", namespace: namespace}, err)
	}
	if len(pods.Items) == 0 {
		return "", nil
	}
	return pods.Items[0].Spec.ServiceAccountName, nil
}

func (o *observer) missOfPods(needed access, err error) *replica.Missing {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return &replica.Missing{What: "service accounts of webhooks and API services", Why: requestError(o.name, needed, err).Message}
}

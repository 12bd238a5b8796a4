package source

import (
	"context"
	"net/url"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// apiServiceList is the part of an APIServiceList that is used. Its Go types are in
// k8s.io/kube-aggregator, which this project does not need otherwise.
type apiServiceList struct {
	Items []struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
		Spec     struct {
			Group   string                            `json:"group"`
			Service *struct{ Namespace, Name string } `json:"service"`
		} `json:"spec"`
	} `json:"items"`
}

// pagesOf returns the pages of a list, whose type is L; nil if it cannot be read. root is the path of the version.
func pagesOf[L any](ctx context.Context, o *observer, root string, resource schema.GroupResource) []L {
	pages, err := listOf[L](ctx, o.client, root+"/"+resource.Resource, metav1.ListOptions{})
	if err != nil {
		o.miss(resource.Resource, access{verb: "list", resource: resource.String()}, err)
		return nil
	}
	return pages
}

// apiServices reads the aggregated API servers.
func (o *observer) apiServices(ctx context.Context) {
	everything := []string{flowcontrolv1.ResourceAll}
	resource := schema.GroupResource{Group: "apiregistration.k8s.io", Resource: "apiservices"}
	for _, page := range pagesOf[apiServiceList](ctx, o, "/apis/apiregistration.k8s.io/v1", resource) {
		for _, item := range page.Items {
			if item.Spec.Service == nil {
				continue // served by kube-apiserver itself
			}
			o.addServer("APIService", item.Metadata.Name, types.NamespacedName(*item.Spec.Service), []flowcontrolv1.ResourcePolicyRule{{
				Verbs: everything, APIGroups: []string{item.Spec.Group}, Resources: everything,
				ClusterScope: true, Namespaces: everything,
			}})
		}
	}
}

// addServer adds a server behind a Service, whose name is empty for one outside of the cluster.
func (o *observer) addServer(kind, name string, service types.NamespacedName, requests []flowcontrolv1.ResourcePolicyRule) {
	o.update(func(f *Facts) {
		f.Servers = append(f.Servers, lint.Server{Object: lint.Object{Kind: kind, Name: name}, Namespace: service.Namespace, Requests: requests})
		o.services = append(o.services, service)
	})
}

// webhooks reads the webhooks of both kinds, which have the fields that are read in common.
func (o *observer) webhooks(ctx context.Context) {
	for _, kind := range []string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"} {
		resource := schema.GroupResource{Group: admissionregistrationv1.GroupName, Resource: strings.ToLower(kind) + "s"}
		for _, page := range pagesOf[admissionregistrationv1.ValidatingWebhookConfigurationList](ctx, o, "/apis/admissionregistration.k8s.io/v1", resource) {
			for i := range page.Items {
				for _, hook := range page.Items[i].Webhooks {
					o.addWebhook(kind, page.Items[i].Name, hook.ClientConfig.Service, hook.Rules)
				}
			}
		}
	}
}

func (o *observer) addWebhook(kind, name string, service *admissionregistrationv1.ServiceReference, rules []admissionregistrationv1.RuleWithOperations) {
	var at types.NamespacedName
	if service != nil {
		at = types.NamespacedName{Namespace: service.Namespace, Name: service.Name}
	}
	var requests []flowcontrolv1.ResourcePolicyRule
	for i := range rules {
		requests = append(requests, policyRule(&rules[i]))
	}
	o.addServer(kind, name, at, requests)
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
	accounts := map[types.NamespacedName]string{}
	for i, service := range o.services {
		if service.Name == "" {
			continue
		}
		if _, done := accounts[service]; !done {
			accounts[service] = o.accountOf(ctx, service.Namespace, service.Name)
		}
		o.facts.Servers[i].ServiceAccount = accounts[service]
	}
}

// accountOf returns the service account of the pods of a Service; "" if it is unknown.
func (o *observer) accountOf(ctx context.Context, namespace, name string) string {
	const what = "service accounts of webhooks and API services"
	path := "/api/v1/namespaces/" + namespace + "/"
	var service corev1.Service
	if err := o.getJSON(ctx, path+"services/"+name, &service); err != nil {
		o.miss(what, access{verb: "get", resource: "services", namespace: namespace}, err)
		return ""
	}
	if len(service.Spec.Selector) == 0 {
		return ""
	}
	query := url.Values{"labelSelector": {labels.SelectorFromSet(service.Spec.Selector).String()}, "limit": {"1"}}
	var pods corev1.PodList
	if err := o.getJSON(ctx, path+"pods?"+query.Encode(), &pods); err != nil {
		o.miss(what, access{verb: "list", resource: "pods", namespace: namespace}, err)
	}
	if len(pods.Items) == 0 {
		return ""
	}
	return pods.Items[0].Spec.ServiceAccountName
}

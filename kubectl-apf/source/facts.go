package source

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// Facts are observations of a cluster. A nil fact is unknown, and Missing says why.
type Facts struct {
	lint.Facts
	Missing []replica.Missing
}

// observer collects facts from a cluster.
type observer struct {
	*client
	discovery discovery.DiscoveryInterface

	mu    sync.Mutex // guards what follows
	facts Facts
	// services are NAMESPACE/NAME of the Services of facts.Servers; the name is empty outside of the
	// cluster.
	services []types.NamespacedName
	// unreachable is set if the server does not answer at all.
	unreachable error
}

// Facts asks for all facts in parallel.
func (c *cluster) Facts(ctx context.Context) (Facts, error) {
	front, config, err := c.front()
	if err != nil {
		return Facts{}, err
	}
	discoverer, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return Facts{}, sentence("The kubeconfig is invalid: %s.", oneSentence(err))
	}
	o := &observer{client: front, discovery: discoverer}
	var group sync.WaitGroup
	for _, observe := range []func(context.Context){o.resources, o.namespaces, o.serviceAccounts, o.apiServices, o.webhooks} {
		group.Go(func() { observe(ctx) })
	}
	group.Wait()
	if o.unreachable != nil {
		return Facts{}, o.unreachable
	}
	o.podsOfServers(ctx)
	slices.SortFunc(o.facts.Missing, func(a, b replica.Missing) int { return strings.Compare(a.What, b.What) })
	slices.SortFunc(o.facts.Servers, func(a, b lint.Server) int {
		return strings.Compare(a.Object.String()+"/"+a.Namespace+"/"+a.ServiceAccount, b.Object.String()+"/"+b.Namespace+"/"+b.ServiceAccount)
	})
	return o.facts, nil
}

// update changes the facts.
func (o *observer) update(change func(*Facts)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change(&o.facts)
}

// miss notes what could not be read, once. What the server does not serve is no fact, and
// not missing.
func (o *observer) miss(what string, needed access, err error) {
	if apierrors.IsNotFound(err) {
		return
	}
	missing := replica.Missing{What: what, Why: requestError(o.name, needed, err).Error()}
	o.update(func(f *Facts) {
		if !slices.Contains(f.Missing, missing) {
			f.Missing = append(f.Missing, missing)
		}
	})
}

// resources reads discovery. A group whose server does not answer hides resources, so
// then they are unknown.
func (o *observer) resources(context.Context) {
	groups, lists, err := o.discovery.ServerGroupsAndResources()
	served := servedVersions(groups)
	if err != nil {
		o.update(func(f *Facts) {
			if !isAnswer(err) && !discovery.IsGroupDiscoveryFailedError(err) {
				o.unreachable = requestError(o.name, access{}, err)
			}
			f.ServedVersions = served
			f.Missing = append(f.Missing, replica.Missing{What: "discovery", Why: fmt.Sprintf("Not all resources are known: %s.", oneSentence(err))})
		})
		return
	}
	resources := []lint.Resource{}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		for i := range list.APIResources {
			r := &list.APIResources[i]
			resources = append(resources, lint.Resource{Group: version.Group, Name: r.Name, Namespaced: r.Namespaced})
		}
	}
	o.update(func(f *Facts) { f.Resources, f.ServedVersions = resources, served })
}

func servedVersions(groups []*metav1.APIGroup) []string {
	var served []string
	for _, group := range groups {
		if group.Name != flowcontrolv1.GroupName {
			continue
		}
		served = append(served, group.PreferredVersion.Version)
		for _, version := range group.Versions {
			if !slices.Contains(served, version.Version) {
				served = append(served, version.Version)
			}
		}
	}
	return served
}

// names returns namespaces and names of the objects of a resource of the core group; nil if they
// cannot be read.
func (o *observer) names(ctx context.Context, resource string) map[string][]string {
	pages := pagesOf[metav1.PartialObjectMetadataList](ctx, o, "/api/v1", schema.GroupResource{Resource: resource})
	if pages == nil {
		return nil
	}
	names := map[string][]string{}
	for _, page := range pages {
		for i := range page.Items {
			names[page.Items[i].Namespace] = append(names[page.Items[i].Namespace], page.Items[i].Name)
		}
	}
	for _, of := range names {
		slices.Sort(of)
	}
	return names
}

func (o *observer) namespaces(ctx context.Context) {
	if names := o.names(ctx, "namespaces"); names != nil {
		o.update(func(f *Facts) { f.Namespaces = append([]string{}, names[""]...) })
	}
}

func (o *observer) serviceAccounts(ctx context.Context) {
	names := o.names(ctx, "serviceaccounts")
	o.update(func(f *Facts) { f.ServiceAccounts = names })
}

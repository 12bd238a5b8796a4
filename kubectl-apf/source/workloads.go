package source

import (
	"context"
	"net/url"
	"slices"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// daemonSetList is the part of a list of DaemonSets that is used.
type daemonSetList struct {
	Items []struct {
		Metadata struct{ Namespace, Name string } `json:"metadata"`
		Spec     struct {
			Template struct {
				Spec struct {
					ServiceAccountName string `json:"serviceAccountName"`
				} `json:"spec"`
			} `json:"template"`
		} `json:"spec"`
	} `json:"items"`
}

// agents reads DaemonSets, and static pods of kube-proxy.
func (o *observer) agents(ctx context.Context) {
	for _, page := range pagesOf[daemonSetList](ctx, o, "apps", "daemonsets") {
		for i := range page.Items {
			item := &page.Items[i]
			account := item.Spec.Template.Spec.ServiceAccountName
			if account == "" {
				account = "default"
			}
			o.addAgent("DaemonSet", item.Metadata.Name, lint.Agent{Namespace: item.Metadata.Namespace, ServiceAccount: account})
		}
	}
	const path = "/api/v1/namespaces/kube-system/pods"
	pages, err := listOf[corev1.PodList](ctx, o.client, path, url.Values{"fieldSelector": {"spec.serviceAccountName="}})
	if err != nil {
		o.miss("static pods", access{verb: "list", resource: "pods", namespace: "kube-system"}, err)
		return
	}
	for _, page := range pages {
		for i := range page.Items {
			pod := &page.Items[i]
			if _, static := pod.Annotations[corev1.MirrorPodAnnotationKey]; static && strings.HasPrefix(pod.Name, "kube-proxy-") {
				// All who install it so give it this user.
				o.addAgent("Pod", pod.Name, lint.Agent{Namespace: pod.Namespace, User: "system:kube-proxy"})
				return
			}
		}
	}
}

func (o *observer) addAgent(kind, name string, agent lint.Agent) {
	agent.Object = lint.Object{Kind: kind, Name: agent.Namespace + "/" + name}
	o.update(func(f *Facts) { f.Agents = append(f.Agents, agent) })
}

// leaders finds the service accounts of the pods that hold leases. The leases of nodes and
// of the control plane are no operator's.
func (o *observer) leaders(ctx context.Context) {
	seen := map[string]bool{}
	for _, page := range pagesOf[coordinationv1.LeaseList](ctx, o, coordinationv1.GroupName, "leases") {
		for i := range page.Items {
			lease := &page.Items[i]
			if lease.Spec.HolderIdentity == nil || slices.Contains([]string{corev1.NamespaceNodeLease, "kube-system"}, lease.Namespace) {
				continue
			}
			// client-go's elections are held by HOST or HOST_UUID.
			pod, _, _ := strings.Cut(*lease.Spec.HolderIdentity, "_")
			if pod == "" || seen[lease.Namespace+"/"+pod] || strings.ContainsAny(pod, "/?%") {
				continue
			}
			seen[lease.Namespace+"/"+pod] = true
			o.addLeader(ctx, lease, pod)
		}
	}
}

func (o *observer) addLeader(ctx context.Context, lease *coordinationv1.Lease, name string) {
	var pod corev1.Pod
	switch err := o.getJSON(ctx, "/api/v1/namespaces/"+lease.Namespace+"/pods/"+name, &pod); {
	case err != nil:
		o.miss("pods that hold leases", access{verb: "get", resource: "pods", namespace: lease.Namespace}, err)
	case pod.Spec.ServiceAccountName != "":
		o.update(func(f *Facts) {
			f.Leaders = append(f.Leaders, lint.Leader{
				LeaseNamespace: lease.Namespace, Lease: lease.Name, Namespace: lease.Namespace, ServiceAccount: pod.Spec.ServiceAccountName,
			})
		})
	}
}

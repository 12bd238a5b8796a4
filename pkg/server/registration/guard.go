// Package registration returns the API version v1 to kube-apiserver when this server no
// longer serves it.
//
// While v1 is registered for this server, a kube-apiserver that starts does not become
// live before a replica serves v1: it waits until all versions that it has itself are
// available. Kubelet restarts it meanwhile, and a load balancer in front sends it no requests,
// though the replicas may depend on them. So after a power cut of the whole cluster nothing may
// recover by itself. A Guard runs beside kube-apiserver, needs nothing but it, and gives v1 back.
//
// The registration must be deleted and created: kube-apiserver's discovery keeps requesting a
// changed one from this server until its next restart. A guard, or a kubectl, may end between
// both, and kube-apiserver registers v1 again at its next start alone. So a Guard keeps no
// intention: it also creates the registration of a v1 that has been absent for as long, whoever
// deleted it, if kube-apiserver has v1.
package registration

import (
	"context"
	"fmt"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

const (
	// name is the APIService of v1.
	name = "v1.flowcontrol.apiserver.k8s.io"
	// managed is kube-apiserver's label of its own APIServices; managedOnStart lets it restore one
	// when it starts.
	managed, managedOnStart = "kube-aggregator.kubernetes.io/automanaged", "onstart"
)

// Guard returns v1 to kube-apiserver.
type Guard struct {
	// Client is a client of kube-apiserver that may get, create and delete APIServices.
	Client dynamic.Interface
	// Namespace and Service name the Service of this server.
	Namespace, Service string
	// Patience is how long v1 must be unavailable or absent without a break.
	Patience time.Duration
	// Interval is how often Run checks.
	Interval time.Duration
	Clock    clock.Clock

	// since is when v1 was first seen unavailable or absent; zero: it is available, or not ours.
	since time.Time
}

// Run checks until ctx is done.
func (g *Guard) Run(ctx context.Context) {
	log := klog.FromContext(ctx)
	log.Info("Guarding the registration of v1", "apiService", name, "service", klog.KRef(g.Namespace, g.Service), "patience", g.Patience)
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		returned, err := g.Check(ctx)
		switch {
		case err != nil:
			log.Error(err, "Failed to check the registration of v1; trying again", "apiService", name, "interval", g.Interval)
		case returned:
			log.Info("Returned v1 to kube-apiserver, which enforces the objects of its own etcd now. When the replicas are ready, register v1 again by artifacts/registration/register.sh",
				"apiService", name, "unavailableFor", g.Patience)
		}
	}, g.Interval)
}

// Check looks at the registration once, and reports whether it returned v1. It changes
// nothing unless v1 has been absent, or registered for this server and unavailable, for Patience.
func (g *Guard) Check(ctx context.Context) (returned bool, err error) {
	registered, err := g.apiServices().Get(ctx, name, metav1.GetOptions{})
	absent := apierrors.IsNotFound(err)
	switch {
	case err != nil && !absent:
		g.since = time.Time{} // kube-apiserver is unavailable: nobody can tell whether this server is
		return false, fmt.Errorf("getting APIService %s: %w", name, err)
	case !absent && (!g.ours(registered) || available(registered)):
		g.since = time.Time{}
		return false, nil
	}
	now := g.Clock.Now()
	if g.since.IsZero() {
		g.since = now
		message := any("no APIService registers it")
		if !absent {
			message = condition(registered)["message"]
		}
		klog.FromContext(ctx).Info("v1 is unavailable", "apiService", name, "message", message, "returnedAfter", g.Patience)
	}
	if now.Sub(g.since) < g.Patience {
		return false, nil
	}
	if !absent {
		uid := registered.GetUID()
		err = g.apiServices().Delete(ctx, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
		if apierrors.IsConflict(err) {
			g.since = time.Time{} // it was registered again meanwhile
			return false, nil
		}
		if err != nil && !apierrors.IsNotFound(err) {
			return false, fmt.Errorf("deleting APIService %s of Service %s/%s: %w", name, g.Namespace, g.Service, err)
		}
	}
	return g.restore(ctx)
}

// restore creates the registration that kube-apiserver makes for itself, if it has v1.
func (g *Guard) restore(ctx context.Context) (bool, error) {
	// Without the registration kube-apiserver answers for itself. Other errors say nothing.
	_, err := g.Client.Resource(flowcontrolv1.SchemeGroupVersion.WithResource("flowschemas")).List(ctx, metav1.ListOptions{Limit: 1})
	if apierrors.IsNotFound(err) {
		g.since = time.Time{}
		klog.FromContext(ctx).Info("v1 is not returned: kube-apiserver does not have it", "apiService", name)
		return false, nil
	}
	own := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1",
		"kind":       "APIService",
		"metadata":   map[string]any{"name": name, "labels": map[string]any{managed: managedOnStart}},
		"spec": map[string]any{
			"group": flowcontrolv1.GroupName, "version": flowcontrolv1.SchemeGroupVersion.Version,
			// The values that kube-apiserver has for this group.
			"groupPriorityMinimum": int64(16100), "versionPriority": int64(21),
		},
	}}
	_, err = g.apiServices().Create(ctx, own, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) { // by kube-apiserver, or another guard
		return false, fmt.Errorf("creating kube-apiserver's APIService %s: %w", name, err)
	}
	g.since = time.Time{}
	return true, nil
}

func (g *Guard) apiServices() dynamic.ResourceInterface {
	return g.Client.Resource(schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"})
}

// ours reports whether an APIService names the Service of this server.
func (g *Guard) ours(registered *unstructured.Unstructured) bool {
	namespace, _, _ := unstructured.NestedString(registered.Object, "spec", "service", "namespace")
	service, _, _ := unstructured.NestedString(registered.Object, "spec", "service", "name")
	return namespace == g.Namespace && service == g.Service
}

func available(registered *unstructured.Unstructured) bool {
	return condition(registered)["status"] == string(metav1.ConditionTrue)
}

// condition returns the condition Available, empty if kube-apiserver has not set it yet.
func condition(registered *unstructured.Unstructured) map[string]any {
	conditions, _, _ := unstructured.NestedSlice(registered.Object, "status", "conditions")
	for _, each := range conditions {
		if condition, ok := each.(map[string]any); ok && condition["type"] == "Available" {
			return condition
		}
	}
	return nil
}

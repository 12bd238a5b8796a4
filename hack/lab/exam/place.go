package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"slices"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

// guard rejects a server that is not on the loopback of this machine, unless its owner agrees.
func guard(host string, own bool) error {
	parsed, err := url.Parse(host)
	if err != nil {
		return fmt.Errorf("the server %q must be a URL: %w", host, err)
	}
	if name := parsed.Hostname(); own || name == "localhost" || net.ParseIP(name).IsLoopback() {
		return nil
	}
	return fmt.Errorf("%s is not on loopback: the exam overloads a server; pass --i-own-this-cluster if that is what you want", host)
}

// The objects of the namespace of an exam. A wide list is of wideCount objects of wideSize bytes.
const (
	wideCount, wideSize = 100, 4 << 10
	small               = "small"
)

// place is where an exam reads and writes: a namespace of its own, if the server has namespaces.
type place struct {
	client    kubernetes.Interface
	namespace string
}

// prepare makes a namespace with what the exam reads, and lets its users read it. On a server without
// namespaces it finds what there is to read. It fills what the plan does not say yet. The caller removes the
// place, even after an error.
func prepare(ctx context.Context, config *rest.Config, p *plan) (*place, error) {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = float32(p.rate), 1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	pl := &place{client: client}
	if p.get != "" {
		p.complete(p.get)
		return pl, nil
	}
	made, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: prefix}}, metav1.CreateOptions{})
	switch {
	case apierrors.IsNotFound(err):
		found, err := readable(ctx, client)
		p.complete(found)
		return pl, err
	case err != nil:
		return pl, fmt.Errorf("making a namespace for the exam: %w", err)
	}
	pl.namespace = made.Name
	if err := errors.Join(pl.permit(ctx), pl.fill(ctx)); err != nil {
		return pl, err
	}
	if err := pl.makeLeases(ctx, p); err != nil {
		return pl, err
	}
	collection := "/api/v1/namespaces/" + pl.namespace + "/configmaps"
	p.list = collection
	if p.heavy == "" {
		p.heavy = collection
	}
	p.complete(collection + "/" + small)
	return pl, nil
}

// complete derives what the plan does not say from the path of an object.
func (p *plan) complete(object string) {
	p.get = object
	if p.list == "" {
		p.list = path.Dir(object)
	}
	if p.heavy == "" {
		p.heavy = p.list
	}
}

// permit lets the users of the exam read what is in the namespace and renew leases. A server without roles has
// other ways, which its owner knows.
func (pl *place) permit(ctx context.Context) error {
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: usersGroup}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "list"}},
		{APIGroups: []string{coordinationv1.GroupName}, Resources: []string{"leases"}, Verbs: []string{"get", "update"}},
	}}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: usersGroup},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: usersGroup},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: usersGroup}},
	}
	_, err := pl.client.RbacV1().Roles(pl.namespace).Create(ctx, role, metav1.CreateOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err == nil {
		_, err = pl.client.RbacV1().RoleBindings(pl.namespace).Create(ctx, binding, metav1.CreateOptions{})
	}
	if err != nil {
		return fmt.Errorf("permitting the users of the exam to read: %w", err)
	}
	return nil
}

func (pl *place) fill(ctx context.Context) error {
	names := []string{small}
	for i := range wideCount {
		names = append(names, fmt.Sprint("wide-", i))
	}
	for _, name := range names {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if name != small {
			object.Data = map[string]string{"text": strings.Repeat("x", wideSize)}
		}
		if _, err := pl.client.CoreV1().ConfigMaps(pl.namespace).Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("making what the exam reads: %w", err)
		}
	}
	return nil
}

// makeLeases makes a lease for each holder. A server without leases has no renewals.
func (pl *place) makeLeases(ctx context.Context, p *plan) error {
	for i := range holders {
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: leaseOf(i)}}
		_, err := pl.client.CoordinationV1().Leases(pl.namespace).Create(ctx, lease, metav1.CreateOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("making leases: %w", err)
		}
	}
	p.lease = renewalIn(pl.namespace)
	return nil
}

// renewalIn returns the renewals of leases in a namespace. They name no resource version, so each one holds.
func renewalIn(namespace string) func(holder int) traffic.Request {
	return func(holder int) traffic.Request {
		return traffic.Request{
			Method: "PUT", Path: "/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases/" + leaseOf(holder),
			Body: fmt.Sprintf(`{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":%q,"namespace":%q},"spec":{"holderIdentity":%q,"leaseDurationSeconds":15}}`,
				leaseOf(holder), namespace, prefix+"holder"),
		}
	}
}

// remove deletes the namespace and what is in it.
func (pl *place) remove(ctx context.Context) error {
	if pl.namespace == "" {
		return nil
	}
	background, all := metav1.DeleteOptions{}, metav1.ListOptions{}
	err := errors.Join(
		pl.client.CoreV1().ConfigMaps(pl.namespace).DeleteCollection(ctx, background, all),
		pl.client.CoreV1().Namespaces().Delete(ctx, pl.namespace, background))
	if err != nil {
		return fmt.Errorf("deleting the namespace %s: %w", pl.namespace, err)
	}
	return nil
}

// readable returns the path of an object that the caller may read, of the first resource that has one.
func readable(ctx context.Context, client kubernetes.Interface) (string, error) {
	lists, err := client.Discovery().ServerPreferredResources()
	if len(lists) == 0 && err != nil {
		return "", fmt.Errorf("discovering what the server has: %w", err)
	}
	for _, collection := range collections(lists) {
		var found metav1.PartialObjectMetadataList
		raw, err := client.Discovery().RESTClient().Get().AbsPath(collection).Param("limit", "1").Do(ctx).Raw()
		if err == nil && json.Unmarshal(raw, &found) == nil && len(found.Items) > 0 {
			return collection + "/" + found.Items[0].Name, nil
		}
	}
	return "", errors.New("the server has no namespaces, and no object of a resource without namespace that the caller can read: name one with -path")
}

// collections returns the paths of the resources without namespace that can be read and listed, in the same order each
// time, whatever the order of discovery.
func collections(lists []*metav1.APIResourceList) (paths []string) {
	for _, list := range lists {
		base := "/apis/" + list.GroupVersion + "/"
		if !strings.Contains(list.GroupVersion, "/") {
			base = "/api/" + list.GroupVersion + "/"
		}
		for _, resource := range list.APIResources {
			if !resource.Namespaced && slices.Contains(resource.Verbs, "get") && slices.Contains(resource.Verbs, "list") {
				paths = append(paths, base+resource.Name)
			}
		}
	}
	slices.Sort(paths)
	return paths
}

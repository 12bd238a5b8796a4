// Command controller-runtime uses controller-runtime: controller-runtime NAME.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/tools/clients/objects"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/tools/clients/steps"
)

func main() {
	ctrl.SetLogger(zap.New())
	steps.Main(controller)
}

type user struct {
	name    string
	config  *rest.Config
	client  client.Client
	manager manager.Manager
	end     context.CancelFunc
	ended   chan error
	// reconciled and gone are closed when the controller saw its change, and the deletion.
	reconciled, gone chan struct{}
}

func controller(config *rest.Config, name string) ([]steps.Step, error) {
	c, err := client.New(config, client.Options{})
	u := &user{name: name, config: config, client: c, ended: make(chan error, 1), reconciled: make(chan struct{}), gone: make(chan struct{})}
	return []steps.Step{
		{Name: "create", Run: u.create},
		{Name: "manager with a controller", Run: u.manage},
		{Name: "list from the cache", Run: u.read},
		{Name: "server-side apply", Run: u.apply},
		{Name: "delete", Run: u.delete},
		{Name: "end of the manager", Run: u.stop},
		{Name: "manager", Word: "`LeaderElection: false`, the default: there are no Leases, and it would wait for one", Run: u.elect},
	}, err
}

func (u *user) create(ctx context.Context) error {
	if err := u.client.Create(ctx, objects.Level(u.name)); err != nil {
		return err
	}
	return u.client.Create(ctx, objects.Schema(u.name, objects.Created))
}

// manage starts a controller, and waits until it has patched the FlowSchema.
func (u *user) manage(ctx context.Context) error {
	var err error
	if u.manager, err = newManager(u.config, manager.Options{}); err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(u.manager).For(&flowcontrolv1.FlowSchema{}).Complete(reconcile.Func(u.reconcile)); err != nil {
		return err
	}
	ctx, u.end = context.WithCancel(ctx)
	go func() { u.ended <- u.manager.Start(ctx) }()
	return wait(ctx, u.reconciled)
}

// newManager returns a manager without servers of its own.
func newManager(config *rest.Config, options manager.Options) (manager.Manager, error) {
	options.Metrics = metricsserver.Options{BindAddress: "0"}
	return ctrl.NewManager(config, options)
}

// reconcile changes what was created.
func (u *user) reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	if request.Name != u.name {
		return reconcile.Result{}, nil
	}
	var schema flowcontrolv1.FlowSchema
	err := u.manager.GetClient().Get(ctx, request.NamespacedName, &schema)
	switch {
	case apierrors.IsNotFound(err):
		closeOnce(u.gone)
		return reconcile.Result{}, nil
	case err != nil:
		return reconcile.Result{}, err
	case schema.Spec.MatchingPrecedence == objects.Created:
		patch := client.RawPatch(types.MergePatchType, objects.Precedence(objects.Patched))
		return reconcile.Result{}, u.manager.GetClient().Patch(ctx, &schema, patch)
	}
	closeOnce(u.reconciled)
	return reconcile.Result{}, nil
}

// closeOnce is for the one goroutine of the controller.
func closeOnce(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}

func (u *user) read(ctx context.Context) error {
	var list flowcontrolv1.FlowSchemaList
	if err := u.manager.GetCache().List(ctx, &list, client.MatchingLabels{"client": u.name}); err != nil {
		return err
	}
	if len(list.Items) != 1 || list.Items[0].Spec.MatchingPrecedence != objects.Patched {
		return fmt.Errorf("the cache holds %v", list.Items)
	}
	return nil
}

func (u *user) apply(ctx context.Context) error {
	applied := objects.Unstructured(objects.Schema(u.name, objects.Applied))
	return u.client.Patch(ctx, applied, client.Apply, client.FieldOwner("controller"), client.ForceOwnership)
}

func (u *user) delete(ctx context.Context) error {
	if err := u.client.Delete(ctx, objects.Schema(u.name, objects.Applied)); err != nil {
		return err
	}
	if err := u.client.Delete(ctx, objects.Level(u.name)); err != nil {
		return err
	}
	return wait(ctx, u.gone)
}

func (u *user) stop(context.Context) error {
	u.end()
	return <-u.ended
}

// elect requires that a manager which wants to be elected never is.
func (u *user) elect(ctx context.Context) error {
	asked := make(chan struct{})
	config := rest.CopyConfig(u.config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &leases{next, asked} })
	m, err := newManager(config, manager.Options{LeaderElection: true, LeaderElectionID: u.name, LeaderElectionNamespace: "default"})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() { u.ended <- m.Start(ctx) }()
	defer func() { cancel(); <-u.ended }()
	if err := wait(ctx, asked); err != nil {
		return err
	}
	select {
	case <-m.Elected():
		return errors.New("the manager was elected, without Leases")
	default:
		return nil
	}
}

// leases closes asked once the server has denied that there are Leases.
type leases struct {
	next  http.RoundTripper
	asked chan struct{}
}

func (l *leases) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(request)
	if err == nil && request.Method == http.MethodPost && strings.HasSuffix(request.URL.Path, "/leases") && response.StatusCode == http.StatusNotFound {
		closeOnce(l.asked)
	}
	return response, err
}

func wait(ctx context.Context, event chan struct{}) error {
	select {
	case <-event:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

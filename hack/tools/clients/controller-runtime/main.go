// Command controller-runtime uses controller-runtime: controller-runtime NAME.
package main

import (
	"context"
	"fmt"

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

	common "github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/tools/clients/client"
)

func main() {
	ctrl.SetLogger(zap.New())
	common.Main(controller)
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

func controller(config *rest.Config, name string) ([]common.Step, error) {
	c, err := client.New(config, client.Options{})
	u := &user{name: name, config: config, client: c, ended: make(chan error, 1), reconciled: make(chan struct{}), gone: make(chan struct{})}
	return []common.Step{
		{Name: "create", Run: u.create},
		{Name: "manager with a controller", Run: u.manage},
		{Name: "list from the cache", Run: u.read},
		{Name: "server-side apply", Run: u.apply},
		{Name: "delete", Run: u.delete},
		{Name: "end of the manager", Run: u.stop},
	}, err
}

func (u *user) create(ctx context.Context) error {
	if err := u.client.Create(ctx, common.Level(u.name)); err != nil {
		return err
	}
	return u.client.Create(ctx, common.Schema(u.name, common.Created))
}

// manage starts a controller, and waits until it has patched the FlowSchema.
func (u *user) manage(ctx context.Context) error {
	var err error
	if u.manager, err = ctrl.NewManager(u.config, manager.Options{Metrics: metricsserver.Options{BindAddress: "0"}}); err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(u.manager).For(&flowcontrolv1.FlowSchema{}).Complete(reconcile.Func(u.reconcile)); err != nil {
		return err
	}
	ctx, u.end = context.WithCancel(ctx)
	go func() { u.ended <- u.manager.Start(ctx) }()
	return wait(ctx, u.reconciled)
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
	case schema.Spec.MatchingPrecedence == common.Created:
		patch := client.RawPatch(types.MergePatchType, common.Precedence(common.Patched))
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
	if len(list.Items) != 1 || list.Items[0].Spec.MatchingPrecedence != common.Patched {
		return fmt.Errorf("the cache holds %v", list.Items)
	}
	return nil
}

func (u *user) apply(ctx context.Context) error {
	applied := common.Unstructured(common.Schema(u.name, common.Applied))
	return u.client.Patch(ctx, applied, client.Apply, client.FieldOwner("controller"), client.ForceOwnership)
}

func (u *user) delete(ctx context.Context) error {
	if err := u.client.Delete(ctx, common.Schema(u.name, common.Applied)); err != nil {
		return err
	}
	if err := u.client.Delete(ctx, common.Level(u.name)); err != nil {
		return err
	}
	return wait(ctx, u.gone)
}

func (u *user) stop(context.Context) error {
	u.end()
	return <-u.ended
}

func wait(ctx context.Context, event chan struct{}) error {
	select {
	case <-event:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

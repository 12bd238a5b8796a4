// Command flux applies with Flux's library: flux NAME.
package main

import (
	"context"
	"fmt"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/polling"
	"github.com/fluxcd/pkg/ssa"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	common "github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/tools/clients/client"
)

func main() { common.Main(flux) }

type user struct {
	name    string
	client  client.Client
	manager *ssa.ResourceManager
	applied *ssa.ChangeSet
}

func flux(config *rest.Config, name string) ([]common.Step, error) {
	c, err := client.New(config, client.Options{})
	if err != nil {
		return nil, err
	}
	poller := polling.NewStatusPoller(c, c.RESTMapper(), polling.Options{})
	u := &user{name: name, client: c, manager: ssa.NewResourceManager(c, poller, ssa.Owner{Field: "flux", Group: "example.com"})}
	return []common.Step{
		{Name: "apply", Run: u.apply},
		{Name: "wait", Run: u.wait},
		{Name: "diff", Run: u.diff},
		{Name: "correction of drift", Run: u.correct},
		{Name: "delete with wait for the end", Run: u.delete},
	}, nil
}

// set is what a Kustomization holds.
func (u *user) set(precedence int32) []*unstructured.Unstructured {
	set := []*unstructured.Unstructured{
		common.Unstructured(common.Schema(u.name, precedence)),
		common.Unstructured(common.Level(u.name)),
	}
	u.manager.SetOwnerLabels(set, u.name, "flux-system")
	return set
}

func (u *user) apply(ctx context.Context) error {
	created, err := u.manager.ApplyAllStaged(ctx, u.set(common.Created), ssa.DefaultApplyOptions())
	if err == nil {
		err = actions(created, ssa.CreatedAction, 2)
	}
	if err != nil {
		return err
	}
	u.applied, err = u.manager.ApplyAllStaged(ctx, u.set(common.Created), ssa.DefaultApplyOptions())
	if err != nil {
		return err
	}
	return actions(u.applied, ssa.UnchangedAction, 2)
}

func (u *user) wait(context.Context) error {
	return u.manager.WaitForSet(u.applied.ToObjMetadataSet(), ssa.WaitOptions{Interval: time.Second, Timeout: time.Minute})
}

// diff compares with an object that another client changed.
func (u *user) diff(ctx context.Context) error {
	live := common.Unstructured(common.Schema(u.name, common.Created))
	if err := u.client.Patch(ctx, live, client.RawPatch(types.MergePatchType, common.Precedence(common.Patched))); err != nil {
		return err
	}
	entry, _, merged, err := u.manager.Diff(ctx, u.set(common.Applied)[0], ssa.DefaultDiffOptions())
	if err != nil {
		return err
	}
	precedence, _, _ := unstructured.NestedInt64(merged.Object, "spec", "matchingPrecedence")
	if entry.Action != ssa.ConfiguredAction || precedence != int64(common.Applied) {
		return fmt.Errorf("%s, matchingPrecedence %d", entry, precedence)
	}
	return nil
}

func (u *user) correct(ctx context.Context) error {
	changes, err := u.manager.ApplyAllStaged(ctx, u.set(common.Applied), ssa.DefaultApplyOptions())
	if err != nil {
		return err
	}
	return actions(changes, ssa.ConfiguredAction, 1)
}

func (u *user) delete(ctx context.Context) error {
	set := u.set(common.Applied)
	options := ssa.DefaultDeleteOptions()
	options.Inclusions = u.manager.GetOwnerLabels(u.name, "flux-system")
	changes, err := u.manager.DeleteAll(ctx, set, options)
	if err == nil {
		err = actions(changes, ssa.DeletedAction, 2)
	}
	if err == nil {
		err = u.manager.WaitForTermination(set, ssa.WaitOptions{Interval: time.Second, Timeout: time.Minute})
	}
	if err != nil {
		return err
	}
	if err := u.client.Get(ctx, client.ObjectKeyFromObject(set[0]), set[0]); !apierrors.IsNotFound(err) {
		return fmt.Errorf("%s is still there: %v", u.name, err)
	}
	return nil
}

// actions requires how many objects an action was taken on.
func actions(changes *ssa.ChangeSet, action ssa.Action, want int) error {
	if got := len(changes.ToGroupedMap()[action]); got != want {
		return fmt.Errorf("%d objects were %s, not %d: %s", got, action, want, changes)
	}
	return nil
}

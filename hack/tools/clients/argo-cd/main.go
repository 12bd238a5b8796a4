// Command argo-cd syncs with Argo CD's engine: argo-cd NAME.
package main

import (
	"context"
	"fmt"
	"time"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/cache"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/engine"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync"
	results "github.com/argoproj/argo-cd/gitops-engine/pkg/sync/common"
	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	common "github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/tools/clients/client"
)

func main() { common.Main(argo) }

type user struct {
	name            string
	levels, schemas dynamic.ResourceInterface
	engine          engine.GitOpsEngine
	end             engine.StopFunc
}

func argo(config *rest.Config, name string) ([]common.Step, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	version := schema.GroupVersion{Group: "flowcontrol.apiserver.k8s.io", Version: "v1"}
	clusterCache := cache.NewClusterCache(config, cache.SetLogr(logr.Discard()), cache.SetPopulateResourceInfoHandler(remember))
	u := &user{
		name:    name,
		levels:  client.Resource(version.WithResource("prioritylevelconfigurations")),
		schemas: client.Resource(version.WithResource("flowschemas")),
		engine:  engine.NewEngine(config, clusterCache, engine.WithLogr(logr.Discard())),
	}
	return []common.Step{
		{Name: "cache of the cluster", Run: u.run},
		{Name: "sync", Run: u.sync},
		{Name: "sync of a change", Run: u.change},
		{Name: "server-side apply", Run: u.apply},
		{Name: "prune with each propagation policy", Run: u.prune},
	}, nil
}

// remember keeps the manifests of what a client of this suite made.
func remember(object *unstructured.Unstructured, _ bool) (info any, cacheManifest bool) {
	client := object.GetLabels()["client"]
	return client, client != ""
}

func (u *user) run(context.Context) (err error) {
	u.end, err = u.engine.Run()
	return err
}

// set is what the repository holds.
func (u *user) set(precedence int32) []*unstructured.Unstructured {
	return []*unstructured.Unstructured{
		common.Unstructured(common.Schema(u.name, precedence)),
		common.Unstructured(common.Level(u.name)),
	}
}

// to syncs the cluster to what a repository holds.
func (u *user) to(ctx context.Context, set []*unstructured.Unstructured, options ...sync.SyncOpt) ([]results.ResourceSyncResult, error) {
	managed := func(r *cache.Resource) bool { return r.Info == u.name }
	options = append(options, sync.WithLogr(logr.Discard()), sync.WithPrune(true))
	synced, err := u.engine.Sync(ctx, set, managed, "revision", "", options...)
	if err != nil {
		return nil, err
	}
	for _, result := range synced {
		if result.Status != results.ResultCodeSynced && result.Status != results.ResultCodePruned {
			return nil, fmt.Errorf("%s: %s %s", result.ResourceKey, result.Status, result.Message)
		}
	}
	return synced, nil
}

func (u *user) sync(ctx context.Context) error {
	synced, err := u.to(ctx, u.set(common.Created))
	if err == nil && len(synced) != 2 {
		err = fmt.Errorf("two objects were to be synced: %v", synced)
	}
	return err
}

func (u *user) change(ctx context.Context) error {
	if _, err := u.to(ctx, u.set(common.Patched)); err != nil {
		return err
	}
	return u.has(ctx, common.Patched)
}

func (u *user) apply(ctx context.Context) error {
	if _, err := u.to(ctx, u.set(common.Applied), sync.WithServerSideApply(true), sync.WithServerSideApplyManager("argocd-controller")); err != nil {
		return err
	}
	return u.has(ctx, common.Applied)
}

func (u *user) has(ctx context.Context, precedence int32) error {
	live, err := u.schemas.Get(ctx, u.name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if got, _, _ := unstructured.NestedInt64(live.Object, "spec", "matchingPrecedence"); got != int64(precedence) {
		return fmt.Errorf("matchingPrecedence is %d, not %d", got, precedence)
	}
	return nil
}

// prune empties the repository, and fills it again for the next policy.
func (u *user) prune(ctx context.Context) error {
	defer u.end()
	for _, policy := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationOrphan, metav1.DeletePropagationForeground} {
		if _, err := u.to(ctx, u.set(common.Applied)); err != nil {
			return err
		}
		// What the cache of the engine does not know yet, the next sync prunes.
		err := wait.PollUntilContextTimeout(ctx, time.Second, 30*time.Second, true, func(ctx context.Context) (bool, error) {
			if _, err := u.to(ctx, nil, sync.WithPrunePropagationPolicy(&policy)); err != nil {
				return false, err
			}
			_, schema := u.schemas.Get(ctx, u.name, metav1.GetOptions{})
			_, level := u.levels.Get(ctx, u.name, metav1.GetOptions{})
			return apierrors.IsNotFound(schema) && apierrors.IsNotFound(level), nil
		})
		if err != nil {
			return fmt.Errorf("%s: the FlowSchema or its level is left: %w", policy, err)
		}
	}
	return nil
}

// Package bootstrap maintains the mandatory and suggested FlowSchemas and
// PriorityLevelConfigurations, as kube-apiserver does.
//
// A pass reads the stored objects from the server's informers, in memory, so it costs the server
// nothing if there is nothing to do. It ensures the built-in objects, levels before schemas, and
// then deletes obsolete objects of other releases. If one object fails, for example because a
// policy denies the write, only these deletions are skipped:
//
//   - A built-in object that does not exist is created.
//   - The spec of a mandatory object is restored if it differs, except for the
//     shares and the lendable percentage of the level exempt, which users may set.
//   - The spec of a suggested object is restored if the server owns it. The
//     annotation apf.kubernetes.io/autoupdate-spec says so. If it is absent or not
//     a boolean, the server owns the spec while metadata.generation is 1, that is,
//     until a client changes it.
//   - In both cases the annotation is set to the owner of the spec.
//   - An object that is neither mandatory nor suggested and has the annotation
//     "true" is obsolete.
//
// Several servers, of several releases, may share one store. Every write is
// conditional: a create on absence, an update on the resourceVersion, a delete on
// the resourceVersion and the UID. After a conflict the server reads the object
// again and decides again, a bounded number of times. Servers that disagree thus
// write an object once per pass, and a pass is once a minute.
package bootstrap

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
	library "k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	flowcontrolv1client "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/typed/flowcontrol/v1"
	flowcontrolv1informers "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/informers/externalversions/flowcontrol/v1"
)

const (
	// CheckName is the name of the keeper's health check.
	CheckName = "flowcontrol-bootstrap"

	// period is the time from the end of a pass to the start of the next.
	period = time.Minute
)

// firstPassBackoff is the backoff until the first pass has succeeded, for half a minute.
func firstPassBackoff() wait.Backoff {
	return wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.2, Steps: 8}
}

// Keeper maintains the built-in objects. Its health check fails until a pass has ensured all of
// them or a few have failed.
type Keeper struct {
	levels    ensurer[*flowcontrolv1.PriorityLevelConfiguration]
	schemas   ensurer[*flowcontrolv1.FlowSchema]
	readiness *readiness
	metrics   metrics
	clock     clock.Clock
	logger    klog.Logger
}

var _ healthz.HealthChecker = (*Keeper)(nil)

// New returns a keeper of the library's mandatory and suggested objects. The
// client should have no rate limit (QPS -1) and be exempt from flow control. The caller
// starts the informers. The reporter may be nil.
func New(client flowcontrolv1client.FlowcontrolV1Interface, informers flowcontrolv1informers.Interface, reporter Reporter, clock clock.Clock, logger klog.Logger) *Keeper {
	if reporter == nil {
		reporter = silent{}
	}
	return newKeeper(
		priorityLevels(client.PriorityLevelConfigurations(), informers.PriorityLevelConfigurations(), library.MandatoryPriorityLevelConfigurations, library.SuggestedPriorityLevelConfigurations),
		flowSchemas(client.FlowSchemas(), informers.FlowSchemas(), library.MandatoryFlowSchemas, library.SuggestedFlowSchemas),
		reporter, clock, logger)
}

func newKeeper(levels kind[*flowcontrolv1.PriorityLevelConfiguration], schemas kind[*flowcontrolv1.FlowSchema], reporter Reporter, clock clock.Clock, logger klog.Logger) *Keeper {
	readiness, metrics := &readiness{seen: sets.New[string]()}, newMetrics()
	return &Keeper{
		levels:    newEnsurer(levels, readiness, metrics, reporter, logger),
		schemas:   newEnsurer(schemas, readiness, metrics, reporter, logger),
		readiness: readiness,
		metrics:   metrics,
		clock:     clock,
		logger:    logger,
	}
}

// Name implements healthz.HealthChecker.
func (*Keeper) Name() string { return CheckName }

// Check implements healthz.HealthChecker. It names the objects that are not ensured.
func (k *Keeper) Check(*http.Request) error { return k.readiness.err() }

// Message returns what is not done yet, for anyone to read; empty: nothing.
func (k *Keeper) Message() string { return k.readiness.message() }

// Metrics returns the metrics of the keeper.
func (k *Keeper) Metrics() prometheus.Collector { return k.metrics }

// Run makes a pass every minute until ctx is done, from when the informers have read what
// is stored. Until one succeeds, eight more follow with a backoff of 100 ms to 13 s.
func (k *Keeper) Run(ctx context.Context) {
	if !cache.WaitForCacheSync(ctx.Done(), k.levels.synced, k.schemas.synced) {
		return
	}
	backoff := firstPassBackoff()
	for {
		pause := period
		if err := k.EnsureOnce(ctx); err != nil && ctx.Err() == nil {
			if backoff.Steps > 0 && !k.readiness.hasPassed() {
				pause = backoff.Step()
			}
			k.logger.Error(err, "Failed to ensure the built-in objects", "retryAfter", pause)
		}
		timer := k.clock.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C():
		}
	}
}

// EnsureOnce makes one pass. It returns the joined errors of all objects: the
// failure of one does not affect the others. Obsolete objects are deleted after a pass
// without failures, since what replaces them may be what failed.
func (k *Keeper) EnsureOnce(ctx context.Context) error {
	err := k.pass(ctx)
	k.readiness.passed(err)
	return err
}

func (k *Keeper) pass(ctx context.Context) error {
	levels, failure := k.levels.ensureAll(ctx)
	schemas, err := k.schemas.ensureAll(ctx)
	if failure = errors.Join(failure, err); failure != nil {
		return failure
	}
	// Schemas are deleted before the levels that they name.
	return errors.Join(k.schemas.remove(ctx, schemas), k.levels.remove(ctx, levels))
}

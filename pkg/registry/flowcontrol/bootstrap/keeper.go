package bootstrap

import (
	"context"
	"errors"
	"net/http"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	library "k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	flowcontrolv1client "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/typed/flowcontrol/v1"
)

const (
	// CheckName is the name of the keeper's health check.
	CheckName = "flowcontrol-bootstrap"

	// period is the time from the end of a pass to the start of the next.
	period = time.Minute
)

// firstPassBackoff is how long to wait before the first pass is tried again.
func firstPassBackoff() wait.Backoff {
	return wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.2, Steps: 10, Cap: 5 * time.Second}
}

// Keeper keeps the built-in objects. As a health check it fails until they have
// all been in place once.
type Keeper struct {
	levels    keeping[*flowcontrolv1.PriorityLevelConfiguration]
	schemas   keeping[*flowcontrolv1.FlowSchema]
	readiness *readiness
	clock     clock.Clock
	logger    klog.Logger
}

var _ healthz.HealthChecker = (*Keeper)(nil)

// New returns a keeper of the objects that the library calls mandatory and
// suggested. It writes through client, which should neither wait for itself
// (QPS -1) nor be held up by flow control.
func New(client flowcontrolv1client.FlowcontrolV1Interface, clock clock.Clock, logger klog.Logger) *Keeper {
	return newKeeper(
		priorityLevels(client.PriorityLevelConfigurations(), library.MandatoryPriorityLevelConfigurations, library.SuggestedPriorityLevelConfigurations),
		flowSchemas(client.FlowSchemas(), library.MandatoryFlowSchemas, library.SuggestedFlowSchemas),
		clock, logger)
}

func newKeeper(levels kind[*flowcontrolv1.PriorityLevelConfiguration], schemas kind[*flowcontrolv1.FlowSchema], clock clock.Clock, logger klog.Logger) *Keeper {
	readiness := &readiness{}
	return &Keeper{
		levels:    newKeeping(levels, readiness, logger),
		schemas:   newKeeping(schemas, readiness, logger),
		readiness: readiness,
		clock:     clock,
		logger:    logger,
	}
}

// Name is that of the health check.
func (*Keeper) Name() string { return CheckName }

// Check fails until a pass has succeeded, and says what is missing.
func (k *Keeper) Check(*http.Request) error { return k.readiness.err() }

// Run makes a pass every minute until ctx ends. Until one has succeeded, it
// tries again sooner: after 100 ms at first, after 5 s at last.
func (k *Keeper) Run(ctx context.Context) {
	backoff := firstPassBackoff()
	for {
		pause := period
		if err := k.EnsureOnce(ctx); err != nil && ctx.Err() == nil {
			if k.readiness.err() != nil {
				pause = backoff.Step()
			}
			k.logger.Error(err, "Could not bring all built-in flow-control objects in order", "retryAfter", pause)
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

// EnsureOnce makes one pass. The error joins what went wrong with each object:
// one that cannot be kept does not keep the others of its kind from being so.
// Schemas wait for all levels, and the deletion of leftovers for both.
func (k *Keeper) EnsureOnce(ctx context.Context) error {
	err := k.pass(ctx)
	k.readiness.passed(err)
	return err
}

func (k *Keeper) pass(ctx context.Context) error {
	levels, err := k.levels.keep(ctx)
	if err != nil {
		return err
	}
	schemas, err := k.schemas.keep(ctx)
	if err != nil {
		return err
	}
	// Schemas go before the levels that they name.
	return errors.Join(k.schemas.remove(ctx, schemas), k.levels.remove(ctx, levels))
}

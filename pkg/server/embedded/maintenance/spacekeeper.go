package maintenance

import (
	"cmp"
	"context"
	"time"

	"github.com/go-logr/logr"
	clientv3 "go.etcd.io/etcd/client/v3"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

const (
	// spaceInterval separates two rounds of a SpaceKeeper.
	spaceInterval = time.Minute
	// roundActions bounds the actions of one round: compact, defragment, disarm.
	roundActions = 3
)

// SpaceKeeper keeps the database of an etcd below its quota. All fields are required.
type SpaceKeeper struct {
	Client *clientv3.Client
	// QuotaBytes is the quota of the etcd.
	QuotaBytes int64
	Clock      utilclock.WithTicker
	Log        logr.Logger
	Metrics    *Metrics

	defragmented time.Time // the last time
	least        int64     // for tests; 0 means leastSize
}

// Run runs rounds until ctx ends. The first is at once, so that a start with a larger
// quota makes etcd accept writes again.
func (k *SpaceKeeper) Run(ctx context.Context) {
	for {
		if err := k.round(ctx); err != nil && ctx.Err() == nil {
			k.Log.Error(err, "Failed to maintain the space of the embedded etcd")
		}
		if !clock.Wait(ctx, k.Clock, spaceInterval) {
			return
		}
	}
}

// round does what is to be done now.
func (k *SpaceKeeper) round(ctx context.Context) error {
	s := store{client: k.Client, quota: k.QuotaBytes}
	compacted := false
	for range roundActions {
		space, err := s.space(ctx)
		if err != nil {
			return err
		}
		next := decide(space, k.Clock.Since(k.defragmented), cmp.Or(k.least, leastSize), compacted)
		if next == nothing {
			k.report(space)
			return nil
		}
		if err := k.do(ctx, s, next, space); err != nil {
			return err
		}
		compacted = compacted || next == compact
	}
	return nil
}

// report logs that nothing can be done about an etcd that rejects writes.
func (k *SpaceKeeper) report(space embedded.Space) {
	if space.NoSpace && !hasRoom(space.InUseBytes, space) {
		k.Log.Info("The embedded etcd rejects writes because its data reach the quota; delete objects that nobody needs, or restart with a larger --etcd-quota-backend-bytes",
			"sizeBytes", space.SizeBytes, "inUseBytes", space.InUseBytes, "quotaBytes", space.QuotaBytes)
	}
}

func (k *SpaceKeeper) do(ctx context.Context, s store, next action, space embedded.Space) error {
	switch next {
	case compact:
		k.Log.Info("The embedded etcd rejects writes because its database reached the quota; removing the history of all keys",
			"sizeBytes", space.SizeBytes, "quotaBytes", space.QuotaBytes)
		return s.compact(ctx)
	case disarm:
		if err := s.disarm(ctx); err != nil {
			return err
		}
		k.Log.Info("The embedded etcd accepts writes again", "sizeBytes", space.SizeBytes, "quotaBytes", space.QuotaBytes)
		return nil
	default:
		return k.defragment(ctx, s, space)
	}
}

func (k *SpaceKeeper) defragment(ctx context.Context, s store, before embedded.Space) error {
	begin := k.Clock.Now()
	k.defragmented = begin
	err := s.defragment(ctx)
	took := k.Clock.Since(begin)
	k.Metrics.defragmented(took, err)
	if err != nil {
		return err
	}
	after, err := s.space(ctx)
	if err != nil {
		return err
	}
	k.Log.Info("Defragmented the database of the embedded etcd", "beforeBytes", before.SizeBytes, "afterBytes", after.SizeBytes, "took", took)
	return nil
}

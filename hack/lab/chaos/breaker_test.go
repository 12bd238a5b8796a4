package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/chaos"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/histories"
)

const (
	// tick is how often faults that have lasted long enough are ended.
	tick = 100 * time.Millisecond
	// calmRequests is how many requests without a failure show that all is well.
	calmRequests = 150
	// readyWaits is how often a server may end, or not become ready in time, before calm.
	readyWaits = 5
	// adminTimeout bounds a request to one member of etcd.
	adminTimeout = 5 * time.Second
	// clockEffect is how long a clock that was set has effects. gRPC relates the time of the
	// last read to the wall clock: if that was set back, it pings after 30s, does not see
	// the answer, and closes the connection to etcd 10s later. Writes under way are not
	// confirmed.
	clockEffect = 45 * time.Second
)

// breaker makes faults. It belongs to the goroutine of the test.
type breaker struct {
	*load
	t        *testing.T
	recorder *histories.Recorder
	active   []active
	faults   []chaos.Fault
	rolls    []chaos.Window
	// clocksUntil is until when clocks that were set have effects, since the start of the run.
	clocksUntil time.Duration
}

// A fault that lasts is about one of these, or about a network.
func onServer(number int) string { return fmt.Sprintf("server %d", number) }
func onMember(number int) string { return fmt.Sprintf("etcd member %d", number) }

// active is a fault that lasts.
type active struct {
	fault chaos.Fault
	until time.Duration // since the start of the run
	on    string        // what it is about; there is one fault at a time about each
	mend  func()
}

// run makes faults: at least a number of them, and more until enough operations are
// acknowledged.
func (b *breaker) run(ctx context.Context, steps []chaos.Step, count, operations int) {
	b.t.Helper()
	for _, step := range steps {
		if len(b.faults) >= count && int(b.acknowledged.Load()) >= operations || ctx.Err() != nil || b.t.Failed() {
			break
		}
		b.supervise()
		b.take(ctx, step)
		for until := b.now() + step.Wait; b.now() < until; {
			<-time.After(tick)
			b.supervise()
			b.mend(func(a active) bool { return a.until <= b.now() })
		}
	}
	require.NoError(b.t, context.Cause(ctx))
	b.calm(ctx)
}

// take makes one fault.
func (b *breaker) take(ctx context.Context, step chaos.Step) {
	b.t.Helper()
	if step.Kind == chaos.Roll {
		b.roll(ctx)
		return
	}
	if at := b.act(step); at != nil {
		b.mend(func(a active) bool { return a.on == at.on })
		b.t.Logf("%v: %s, number %d, for %v", b.now().Round(time.Millisecond), step.Kind, step.Target, step.Length.Round(time.Millisecond))
		start := b.now()
		at.begin()
		b.active = append(b.active, active{
			fault: chaos.Fault{Kind: step.Kind, Target: step.Target, Start: start}, until: start + step.Length, on: at.on, mend: at.end,
		})
		return
	}
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	start := b.now()
	if err := b.ask(ctx, step); err != nil {
		b.t.Logf("%v: %s, number %d: it was not possible: %v", start.Round(time.Millisecond), step.Kind, step.Target, err)
		return
	}
	b.t.Logf("%v: %s, number %d", start.Round(time.Millisecond), step.Kind, step.Target)
	b.faults = append(b.faults, chaos.Fault{Kind: step.Kind, Target: step.Target, Start: start, End: b.now()})
}

// ask makes a fault of what etcd is asked for.
func (b *breaker) ask(ctx context.Context, step chaos.Step) error {
	switch step.Kind {
	case chaos.MoveLeader:
		return b.moveLeader(ctx)
	case chaos.Defragment:
		_, err := b.admins[step.Target].Defragment(ctx, b.members[step.Target].URL)
		return err
	case chaos.Compact:
		_, err := b.store.Compact(ctx, b.recorder.Seen())
		return err
	case chaos.SetClock:
		return errors.New("the clock of this program cannot be set")
	default:
		return errors.New("there is no such fault")
	}
}

// moveLeader makes the member after the leader the leader.
func (b *breaker) moveLeader(ctx context.Context) error {
	var ids []uint64
	leader := -1
	for i, admin := range b.admins {
		one, cancel := context.WithTimeout(ctx, time.Second)
		status, err := admin.Status(one, b.members[i].URL)
		cancel()
		if err != nil {
			return err
		}
		ids = append(ids, status.Header.MemberId)
		if status.Leader == status.Header.MemberId {
			leader = i
		}
	}
	if leader < 0 {
		return errors.New("there is no leader")
	}
	_, err := b.admins[leader].MoveLeader(ctx, ids[(leader+1)%len(ids)])
	return err
}

// mend ends faults.
func (b *breaker) mend(which func(active) bool) {
	b.active = slices.DeleteFunc(b.active, func(a active) bool {
		if !which(a) {
			return false
		}
		a.mend()
		a.fault.End = b.now()
		b.faults = append(b.faults, a.fault)
		return true
	})
}

// supervise restarts processes that ended by themselves. A server may do so only while
// it starts and etcd does not answer.
func (b *breaker) supervise() {
	b.t.Helper()
	for i, r := range b.replicas {
		if b.isActive(onServer(i)) || !hasEnded(r.Process.Done()) {
			continue
		}
		if r.hasServed() {
			b.t.Errorf("server %d ended by itself; the end of its output:\n%.4000s", i, lastLines(r.Process.Output()))
		}
		r.restart(b.t)
	}
	for i, member := range b.members {
		if !b.isActive(onMember(i)) && hasEnded(member.Process.Done()) {
			b.t.Logf("etcd member %d ended by itself; the end of its output:\n%.2000s", i, lastLines(member.Process.Output()))
			member.Launch(b.t)
		}
	}
}

func (b *breaker) isActive(on string) bool {
	return slices.ContainsFunc(b.active, func(a active) bool { return a.on == on })
}

func hasEnded(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

func lastLines(output string) string { return output[max(0, len(output)-4000):] }

// calm ends all faults and waits until everything works.
func (b *breaker) calm(ctx context.Context) {
	b.t.Helper()
	b.mend(func(active) bool { return true })
	for i, member := range b.members {
		require.NoError(b.t, member.WaitHealthy(ctx), "member %d", i)
	}
	for i, r := range b.replicas {
		b.supervise()
		for waits := 1; r.WaitReady(ctx) != nil; waits++ {
			require.NoError(b.t, context.Cause(ctx))
			require.Less(b.t, waits, readyWaits, "server %d is not ready; the end of its output:\n%s", i, lastLines(r.Process.Output()))
			b.supervise()
		}
	}
	b.streak.Store(0)
	require.Empty(b.t, eventually.Within(ctx, func(a *eventually.Attempt) {
		require.GreaterOrEqual(a, b.streak.Load(), int64(calmRequests), "requests since the last failure")
		// The streak may be of other servers: clients avoid one that failed while it fills its cache.
		for _, r := range b.replicas {
			listed, err := r.api.List(a.Context(), "")
			require.NoError(a, err)
			require.Equal(a, chaos.Done, listed.Result, "%s: %v", r.URL, listed.Reply)
		}
	}))
}

// roll restarts all servers one by one while nothing else happens, or has effects.
func (b *breaker) roll(ctx context.Context) {
	b.t.Helper()
	b.mend(func(active) bool { return true })
	for b.now() < b.clocksUntil && ctx.Err() == nil {
		<-time.After(tick)
		b.supervise()
	}
	b.calm(ctx)
	start := b.now()
	b.t.Logf("%v: %s", start.Round(time.Millisecond), chaos.Roll)
	for _, r := range b.replicas {
		r.Stop(b.t)
		r.restart(b.t)
		require.NoError(b.t, r.WaitReady(ctx))
	}
	b.rolls = append(b.rolls, chaos.Window{Start: start, End: b.now()})
	b.faults = append(b.faults, chaos.Fault{Kind: chaos.Roll, Start: start, End: b.now()})
}

// lasting is a fault that lasts.
type lasting struct {
	on         string
	begin, end func()
}

// act returns what a fault that lasts does, nil for another.
func (b *breaker) act(step chaos.Step) *lasting {
	server := step.Target % len(b.replicas)
	r := b.replicas[server]
	switch step.Kind {
	case chaos.KillServer:
		return &lasting{onServer(server), func() { r.Kill(b.t) }, func() { r.restart(b.t) }}
	case chaos.PauseServer:
		return &lasting{onServer(server), func() { r.Process.Pause(b.t) }, r.Process.Resume}
	case chaos.CutServer:
		return &lasting{"the network of " + onServer(server), func() { r.cut() }, func() { r.heal() }}
	case chaos.HoldCache:
		return &lasting{"the cache of " + onServer(server), func() { r.holdCache(true) }, func() { r.holdCache(false) }}
	case chaos.SetClock:
		if r.clock == nil {
			return nil
		}
		b.t.Logf("the clock of %s will be ahead by %v", onServer(server), step.Ahead.Round(time.Second))
		return &lasting{"the clock of " + onServer(server), func() { b.setClock(r, step.Ahead) }, func() { b.setClock(r, 0) }}
	default:
		return b.actOnEtcd(step)
	}
}

// actOnEtcd is act for faults of members of etcd.
func (b *breaker) actOnEtcd(step chaos.Step) *lasting {
	if len(b.members) == 0 {
		return nil
	}
	size := len(b.members)
	i := step.Target % size
	member := b.members[i]
	switch step.Kind {
	case chaos.KillMember:
		return &lasting{onMember(i), func() { member.Kill(b.t) }, func() { member.Launch(b.t) }}
	case chaos.PauseMember:
		return &lasting{onMember(i), func() { member.Process.Pause(b.t) }, func() { member.Process.Resume() }}
	case chaos.FillDisk:
		return &lasting{onMember(i), func() { require.NoError(b.t, member.Process.FillDisk()) }, func() { member.Kill(b.t); member.Launch(b.t) }}
	case chaos.CutMembers:
		return &lasting{"the network of etcd", func() { b.cutPeers(i, (i+1)%size) }, func() { b.healPeers() }}
	case chaos.IsolateMember:
		return &lasting{"the network of etcd", func() { b.cutPeers(i, (i+1)%size); b.cutPeers(i, (i+2)%size) }, func() { b.healPeers() }}
	default:
		return nil
	}
}

func (b *breaker) setClock(r *replica, ahead time.Duration) {
	r.clock.Set(b.t, ahead)
	b.clocksUntil = b.now() + clockEffect
}

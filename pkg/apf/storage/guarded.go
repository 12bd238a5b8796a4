package storage

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
)

// guarded is a store whose lists ask for seats, and share reads.
type guarded struct {
	storage.Interface
	reads    *Reads
	resource schema.GroupResource
	newList  func() runtime.Object

	mu    sync.Mutex // guards what follows, and the members of the reads
	slots map[identity]*slot
}

// withinRead is the key in the context of a read. Reads below it are parts of it: they exchange no
// seats, and wait for no other.
type withinRead struct{}

// GetList implements storage.Interface.
func (g *guarded) GetList(ctx context.Context, key string, options storage.ListOptions, list runtime.Object) error {
	seating := filter.SeatingOf(ctx)
	if seating.FromStorage(options.Recursive) || ctx.Value(withinRead{}) != nil {
		return g.Interface.GetList(ctx, key, options, list)
	}
	m := &member{guarded: g, seating: seating, id: identityOf(key, options), key: key, options: options, list: list}
	result, err := m.exchangeSeats(ctx)
	g.reads.count(g.resource, result)
	return seating.ErrorOf(err)
}

// member is one list on its way through a sharedRead.
type member struct {
	*guarded
	seating *filter.Seating
	id      identity
	key     string
	options storage.ListOptions
	list    runtime.Object

	read *sharedRead // set by join
	// The lock of guarded guards what follows.
	belongs, asks bool // to the read, and for seats
}

// exchangeSeats calls getList for a list without seats.
func (m *member) exchangeSeats(ctx context.Context) (result string, err error) {
	done, err := m.seating.Vacate()
	if err != nil {
		return rejected, err
	}
	defer done()
	return m.getList(ctx)
}

// getList sets the list, and returns the value of the label result.
func (m *member) getList(ctx context.Context) (result string, err error) {
	m.join(m)
	leave := func() { m.leave(m) }
	defer leave()
	defer context.AfterFunc(ctx, leave)() // while this member executes the read, too
	r := m.read
	if r.before != nil {
		if err := await(ctx, r.before); err != nil {
			return left, err
		}
	}
	patience, cancel := m.seating.Patience(ctx)
	defer cancel()
	seated, err := m.seating.AskForStorage(patience, m.resource, m.options.Recursive, r.started)
	if seated {
		if executed, err := m.execute(ctx); executed {
			return read, err
		}
		m.seating.Return()
	}
	if err != nil {
		m.giveUp(m)
		select {
		case <-r.started: // with the seats of another
		case <-r.hopeless:
			return resultOf(err), err
		case <-patience.Done():
			if ctx.Err() != nil {
				return left, contextError(ctx)
			}
			return resultOf(err), err
		}
	}
	return m.share(ctx)
}

// execute executes the read, unless another member does.
func (m *member) execute(ctx context.Context) (bool, error) {
	reading, cancel := context.WithCancel(context.WithValue(context.WithoutCancel(ctx), withinRead{}, true))
	members, first := m.start(m, cancel)
	if !first {
		cancel()
		return false, nil
	}
	r := m.read
	if members <= 1 {
		defer cancel()
		defer m.finish(r, m.id)
		r.err = m.Interface.GetList(reading, m.key, m.options, m.list)
		return true, m.ownError(ctx, r.err)
	}
	go m.readForAll(reading, cancel)
	select {
	case <-r.done:
	case <-ctx.Done():
		m.handOver(m)
		return true, contextError(ctx)
	}
	if r.panicked != nil {
		panic(r.panicked)
	}
	if r.err != nil {
		return true, m.ownError(ctx, r.err)
	}
	return true, m.ownError(ctx, copyList(r.list, m.list))
}

// readForAll executes a read for several members, on a goroutine that outlives the request of this
// one if others wait.
func (m *member) readForAll(ctx context.Context, cancel context.CancelFunc) {
	defer cancel()
	r := m.read
	defer func() {
		if p := recover(); p != nil {
			r.panicked = fmt.Sprintf("%v\n%s", p, debug.Stack()) // the member panics
		}
		m.finish(r, m.id)
	}()
	list := m.newList()
	if r.err = m.Interface.GetList(ctx, m.key, m.options, list); r.err == nil {
		r.list = list
	}
}

// ownError returns the error of a read for the member that executed it. The read has a
// context of its own, so its result would not say that the deadline of the member passed.
func (m *member) ownError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return contextError(ctx)
	}
	return err
}

// share waits for the read of another member.
func (m *member) share(ctx context.Context) (string, error) {
	r := m.read
	if err := await(ctx, r.done); err != nil {
		return left, err
	}
	if r.err != nil {
		return shared, r.err
	}
	patience, cancel := m.seating.Patience(ctx)
	defer cancel()
	if err := m.seating.AskAgain(patience); err != nil {
		return resultOf(err), err
	}
	return shared, copyList(r.list, m.list)
}

// await waits until c is closed or ctx ends.
func await(ctx context.Context, c <-chan struct{}) error {
	select {
	case <-c:
		return nil
	case <-ctx.Done():
		return contextError(ctx)
	}
}

// contextError returns the error of a list whose context has ended.
func contextError(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return apierrors.NewTimeoutError("the list waited for etcd, since the watch cache cannot serve it, until its deadline passed", 1)
	}
	return ctx.Err()
}

func resultOf(err error) string {
	if _, none := errors.AsType[*filter.NoSeatsError](err); none {
		return rejected
	}
	return left
}

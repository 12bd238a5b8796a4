package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/go-logr/logr"
	"go.etcd.io/etcd/server/v3/embed"
	"google.golang.org/grpc"
)

// Etcd is an etcd of one member that runs in this process.
type Etcd struct {
	server   *embed.Etcd
	requests *grpc.Server
	socket   *socket
	failure  *failure
	closing  chan struct{}
}

// StartEtcd starts etcd on DIR/etcd and returns when it serves. Ctx bounds the
// start only, and should have a deadline, because an etcd whose log lost its
// beginning waits for ever; afterwards the server runs until Close.
//
// Etcd's warnings and errors go to logger at verbosity 0, its other messages at
// verbosity 4 and 6.
//
// Errors say what etcd found wrong with its data: of a newer version, damaged,
// incomplete. After an error the process should end, since etcd may hold files
// open that another attempt in the same process would wait for.
func StartEtcd(ctx context.Context, dir *DataDirectory, logger logr.Logger) (*Etcd, error) {
	first, err := prepareEtcdDirectory(dir.etcdPath())
	if err != nil {
		return nil, explainStart(dir.etcdPath(), err)
	}
	socket, err := newSocket(dir.etcdPath())
	if err != nil {
		return nil, err
	}
	e := &Etcd{socket: socket, failure: newFailure(), closing: make(chan struct{})}
	config := etcdConfig(dir.etcdPath(), socket, newEtcdLogger(logger, e.failure))
	if err := e.start(ctx, config); err != nil {
		return nil, explainStart(dir.etcdPath(), err)
	}
	if err := e.settle(first); err != nil {
		return nil, errors.Join(err, e.Close(ctx))
	}
	go e.watch()
	return e, nil
}

// Endpoint is the client URL, to be used as --etcd-servers would be. It works in
// this process only.
func (e *Etcd) Endpoint() string { return e.socket.endpoint() }

// Failed yields one error if etcd dies on its own; the process should then stop,
// for nothing is stored any more. It yields nothing otherwise, Close included,
// and is never closed.
func (e *Etcd) Failed() <-chan error { return e.failure.channel }

// Close stops etcd. Requests under way are broken off, open watches too, so it is
// called when the server that uses it has finished; a write broken off may or
// may not be stored. When ctx ends first, Close returns an error and leaves the
// rest to the end of the process; acknowledged writes are on disk in any case.
// It is called once.
func (e *Etcd) Close(ctx context.Context) error {
	close(e.closing)
	done := make(chan struct{})
	go func() {
		defer close(done)
		// Etcd would wait for open watches, for more than five seconds.
		e.requests.Stop()
		e.server.Close()
	}()
	select {
	case <-done:
		return e.socket.close()
	case <-ctx.Done():
		return fmt.Errorf("etcd did not stop in time (%w); all acknowledged writes are on disk", ctx.Err())
	}
}

// start brings etcd up and waits until it serves.
func (e *Etcd) start(ctx context.Context, config *embed.Config) error {
	// etcd registers services once it is ready and about to accept connections.
	serving := make(chan *grpc.Server, 1)
	config.ServiceRegister = func(server *grpc.Server) { serving <- server }

	select {
	case opened := <-openEtcd(config):
		if opened.err != nil {
			return e.failure.instead(opened.err)
		}
		e.server = opened.server
	case err := <-e.failure.channel:
		return err
	case <-ctx.Done():
		return fmt.Errorf("it did not open its data in time: %w", ctx.Err())
	}
	return e.awaitServing(ctx, serving)
}

func (e *Etcd) awaitServing(ctx context.Context, serving <-chan *grpc.Server) error {
	election := time.NewTicker(electionInterval)
	defer election.Stop()
	for {
		select {
		case e.requests = <-serving:
			return nil
		case <-e.server.Server.StopNotify():
			return e.failure.instead(errEndedEarly)
		case err := <-e.server.Err():
			return e.failure.instead(errors.Join(errEndedEarly, err))
		case err := <-e.failure.channel:
			return err
		case <-ctx.Done():
			return fmt.Errorf("it did not become ready in time: %w", ctx.Err())
		case <-election.C:
			// Without it, the election timeout does the same later.
			_ = callElection(ctx, e.server.Server)
		}
	}
}

type openedEtcd struct {
	server *embed.Etcd
	err    error
}

// openEtcd runs etcd's own start in a goroutine, because etcd reports damaged
// data by a fatal log entry, a panic or a memory fault as readily as by an error,
// and the first of these ends the goroutine.
func openEtcd(config *embed.Config) <-chan openedEtcd {
	result := make(chan openedEtcd, 1)
	go func() {
		debug.SetPanicOnFault(true)
		opened := openedEtcd{err: errEndedEarly}
		defer func() {
			if problem := recover(); problem != nil {
				opened.err = fmt.Errorf("panic: %v", problem)
			}
			result <- opened
		}()
		opened.server, opened.err = embed.StartEtcd(config)
	}()
	return result
}

// settle closes the socket to others and declares the first start done.
func (e *Etcd) settle(first *firstStart) error {
	if err := os.Chmod(e.socket.path, secretMode); err != nil {
		return fmt.Errorf("etcd's socket: %w", err)
	}
	return first.done()
}

// watch reports the end of etcd, unless Close is the reason.
func (e *Etcd) watch() {
	var err error
	select {
	case <-e.closing:
		return
	case <-e.server.Server.StopNotify():
		err = errors.New("embedded etcd stopped by itself")
	case cause := <-e.server.Err():
		err = fmt.Errorf("embedded etcd stopped serving: %w", cause)
	}
	select {
	case <-e.closing:
	default:
		e.failure.report(err)
	}
}

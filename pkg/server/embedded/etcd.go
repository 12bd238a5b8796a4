package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/version"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"google.golang.org/grpc"
)

const (
	// tick and electionTimeout are a tenth and a twentieth of etcd's defaults. A starting member waits
	// between one tick and the timeout before it elects itself; the only one waits for nobody.
	tick            = 10 * time.Millisecond
	electionTimeout = 50 * time.Millisecond
	// progressInterval is how often watches without events receive a bookmark.
	// After etcd's default of 10 minutes, resource versions would be old.
	progressInterval = 5 * time.Second
	// freeShare is the part of the quota that must be free in the database, beside the data, before
	// a start defragments it.
	freeShare = 16
	// nowhere is the address of the only member for its peers, which it has not.
	nowhere = "127.0.0.1:0"
)

var errStoppedEarly = errors.New("it stopped before it was ready")

// Etcd is an etcd of one member in this process.
type Etcd struct {
	server   *embed.Etcd
	requests *grpc.Server
	socket   *socket
	failure  failure
	closing  chan struct{}
	quota    int64
}

// EtcdOptions configure an embedded etcd.
type EtcdOptions struct {
	// Log receives warnings and errors of etcd at verbosity 0, other messages at 4
	// and 6.
	Log logr.Logger
	// QuotaBytes is the size of the database beyond which writes fail; 0 means
	// DefaultQuotaBytes.
	QuotaBytes int64
	// CompactionInterval is how much history etcd keeps, at least; 0 means all.
	CompactionInterval time.Duration
}

// StartEtcd starts etcd in DIR/etcd and returns when it serves. Ctx bounds the
// start only; afterwards etcd runs until Close. It should have a deadline: an
// etcd whose log lost its beginning never becomes ready.
//
// The error says what is wrong with the data: of a newer version, damaged,
// incomplete. The process should then end: etcd may keep files open, and another
// attempt in this process would wait for them.
func StartEtcd(ctx context.Context, dir *DataDirectory, options EtcdOptions) (*Etcd, error) {
	if err := prepareStore(dir.etcdPath()); err != nil {
		return nil, explainStart(dir.etcdPath(), err)
	}
	socket, err := newSocket(dir.etcdPath())
	if err != nil {
		return nil, err
	}
	e := &Etcd{socket: socket, failure: newFailure(), closing: make(chan struct{}), quota: cmp.Or(options.QuotaBytes, DefaultQuotaBytes)}
	config := etcdConfig(dir.etcdPath(), socket, newEtcdLogger(options.Log, e.failure))
	config.QuotaBackendBytes = e.quota
	setRenamed(config, progressInterval, max(1, uint(e.quota/freeShare>>20)))
	config.AutoCompactionMode, config.AutoCompactionRetention = embed.CompactorModePeriodic, options.CompactionInterval.String()
	if err := e.start(ctx, config); err != nil {
		return nil, explainStart(dir.etcdPath(), err)
	}
	if err := e.finishStart(ctx, dir.etcdPath()); err != nil {
		return nil, errors.Join(err, e.Close(ctx))
	}
	go e.watch()
	return e, nil
}

// Endpoint is the client URL, in the form that --etcd-servers takes. It is valid
// in this process only.
func (e *Etcd) Endpoint() string { return e.socket.endpoint() }

// Failed receives one error if etcd stops by itself. The process should then
// stop, because nothing can be stored. It receives nothing after Close, and is
// never closed.
func (e *Etcd) Failed() <-chan error { return e.failure }

// Close stops etcd. It interrupts open requests and watches, and is therefore
// called after the server has stopped; an interrupted write may or may not be
// stored. If ctx ends first, Close returns an error, and etcd stops with the
// process; acknowledged writes are on disk in any case. Call it once.
func (e *Etcd) Close(ctx context.Context) error {
	close(e.closing)
	done := make(chan struct{})
	go func() {
		defer close(done)
		// Etcd would wait for open watches for more than five seconds.
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

const (
	// logEntries is how many writes etcd's log collects before a snapshot on disk cuts it off.
	// With etcd's default of 100,000 a server whose configuration changes each second takes
	// 7 MiB more each hour: docs/evidence/reliability.md, Long run.
	logEntries = 1000
	// keptEntries is how many it keeps in memory then, for members that lag. There are none.
	keptEntries = 100
)

// etcdConfig describes a single member that listens on the socket only. Fsync,
// batching and request sizes are etcd's defaults.
func etcdConfig(directory string, socket *socket, logger *zap.Logger) *embed.Config {
	config := embed.NewConfig()
	config.Dir = directory
	config.ZapLoggerBuilder = embed.NewZapLoggerBuilder(logger)

	config.ListenPeerUrls = nil
	config.AdvertisePeerUrls = []url.URL{{Scheme: "http", Host: nowhere}}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.ListenClientUrls = []url.URL{socket.url()}
	config.AdvertiseClientUrls = []url.URL{}
	config.EnableGRPCGateway = false
	config.AuthToken = "" // the socket's permissions protect it

	config.TickMs, config.ElectionMs = uint(tick.Milliseconds()), uint(electionTimeout.Milliseconds())
	config.SnapshotCount, config.SnapshotCatchUpEntries = logEntries, keptEntries
	return config
}

// start starts etcd and waits until it serves.
func (e *Etcd) start(ctx context.Context, config *embed.Config) error {
	// Etcd registers services when it is ready, before it accepts connections.
	serving := make(chan *grpc.Server, 1)
	config.ServiceRegister = func(server *grpc.Server) { serving <- server }

	select {
	case opened := <-openEtcd(config):
		if opened.err != nil {
			return e.failure.reportedOr(opened.err)
		}
		e.server = opened.server
	case err := <-e.failure:
		return err
	case <-ctx.Done():
		return fmt.Errorf("it did not open its data in time: %w", ctx.Err())
	}
	return e.awaitServing(ctx, serving)
}

func (e *Etcd) awaitServing(ctx context.Context, serving <-chan *grpc.Server) error {
	select {
	case e.requests = <-serving:
		return nil
	case <-e.server.Server.StopNotify():
		return e.failure.reportedOr(errStoppedEarly)
	case err := <-e.server.Err():
		return e.failure.reportedOr(errors.Join(errStoppedEarly, err))
	case err := <-e.failure:
		return err
	case <-ctx.Done():
		return fmt.Errorf("it did not become ready in time: %w", ctx.Err())
	}
}

type openedEtcd struct {
	server *embed.Etcd
	err    error
}

// openEtcd starts etcd in a goroutine of its own. Etcd reports damaged data by an
// error, a panic, a memory fault or a fatal log entry, and the last of these ends
// the goroutine.
func openEtcd(config *embed.Config) <-chan openedEtcd {
	result := make(chan openedEtcd, 1)
	go func() {
		debug.SetPanicOnFault(true)
		opened := openedEtcd{err: errStoppedEarly}
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

// finishStart restricts the socket to its owner, ends the alarm that the quota was reached, and
// completes a first start. If there is no room the next write raises the alarm again.
func (e *Etcd) finishStart(ctx context.Context, directory string) error {
	if err := os.Chmod(e.socket.path, secretMode); err != nil {
		return fmt.Errorf("etcd's socket: %w", err)
	}
	for _, alarm := range e.server.Server.Alarms() {
		if alarm.Alarm != etcdserverpb.AlarmType_NOSPACE {
			continue
		}
		request := &etcdserverpb.AlarmRequest{Action: etcdserverpb.AlarmRequest_DEACTIVATE, Alarm: alarm.Alarm, MemberID: alarm.MemberID}
		if _, err := e.server.Server.Alarm(ctx, request); err != nil {
			return fmt.Errorf("the alarm NOSPACE cannot be ended: %w", err)
		}
	}
	return completeFirstStart(directory)
}

// watch reports the end of etcd unless Close caused it.
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

// unknownRequest is what etcd says of a request in its log that it cannot decode. Checksums protect
// the log, so another release wrote it: etcd 3.7 does not know how a member of 3.5 publishes itself.
const unknownRequest = "unmarshal should never fail"

// damaged is what etcd says of data whose checksum is wrong.
const damaged = "crc mismatch"

// explainStart adds the directory and the remedy to the error of a start.
func explainStart(directory string, err error) error {
	const remedy = "start it again; if it fails again, keep this one, and restore a snapshot into a new directory with 'flowcontrol-apiserver etcd restore'"
	var newer newerDataError
	obstacle := obstacleIn(directory)
	switch {
	case errors.Is(err, context.Canceled), errors.As(err, &newer):
		return fmt.Errorf("embedded etcd on %s: %w", directory, err)
	case strings.Contains(err.Error(), unknownRequest):
		return fmt.Errorf("embedded etcd on %s: the log was written by an etcd more than one minor release older than this server's, %s (%w); "+
			"take a snapshot with the older server ('flowcontrol-apiserver etcd snapshot'), and restore it with this one into a new directory ('flowcontrol-apiserver etcd restore')", directory, version.Version, err)
	case strings.Contains(err.Error(), damaged):
		return fmt.Errorf("embedded etcd on %s cannot start: %w; the data are damaged: restore a snapshot into a new directory with 'flowcontrol-apiserver etcd restore', or move this one away to start with an empty store", directory, err)
	case obstacle != nil:
		return fmt.Errorf("embedded etcd on %s cannot start: %w; the cause may be: %w; %s; keep the data, and start it again", directory, err, obstacle, remedyOf(obstacle))
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("embedded etcd on %s: %w; check whether the disk is slow or full; %s", directory, err, remedy)
	default:
		return fmt.Errorf("embedded etcd on %s cannot start: %w; %s", directory, err, remedy)
	}
}

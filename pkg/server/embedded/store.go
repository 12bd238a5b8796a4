package embedded

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-logr/logr"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

const (
	// answerTimeout is how long the etcd of a running server may take to answer. It
	// answers nothing while it is defragmented.
	answerTimeout = 30 * time.Second
	// quotaMetric is etcd's metric of its quota.
	quotaMetric = "etcd_server_quota_backend_bytes"
)

// Store is the open store of a data directory: the etcd of the server that runs on
// it or, if none runs, an etcd that this process started on it. So a store of a
// server that was killed includes what only etcd's log has.
type Store struct {
	// Client is a client of the etcd.
	Client *clientv3.Client
	// Path is the absolute path of the data directory.
	Path string
	// PID is the process whose etcd it is, 0 if it is this process.
	PID int

	socket *socket // of another process
	etcd   *Etcd   // of this process
	dir    *DataDirectory
}

// OpenStore opens the store of a data directory. Ctx bounds the opening. The caller
// calls Close.
//
// The error is a *NoStoreError if there is no store. Other errors say that the
// directory belongs to another user, that the data are damaged, that the first start of
// its server was interrupted, or that a server has it and its etcd does not answer.
func OpenStore(ctx context.Context, path string, log logr.Logger) (*Store, error) {
	dir, err := openExisting(path)
	if inUse, ok := errors.AsType[*InUseError](err); ok {
		return connectStore(ctx, inUse)
	}
	if err != nil {
		return nil, err
	}
	if err := rejectFirstStart(dir); err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	etcd, err := StartEtcd(ctx, dir, EtcdOptions{Log: log, QuotaBytes: MaxQuotaBytes})
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	client, err := etcd.NewClient()
	if err != nil {
		return nil, errors.Join(err, etcd.Close(ctx), dir.Close())
	}
	return &Store{Client: client, Path: dir.Path(), etcd: etcd, dir: dir}, nil
}

// rejectFirstStart returns an error if the first start of the server was interrupted.
// What becomes of the store is decided by the next start of the server alone.
func rejectFirstStart(dir *DataDirectory) error {
	marked, err := exists(filepath.Join(dir.etcdPath(), firstStartName))
	if err != nil || !marked {
		return err
	}
	return fmt.Errorf("data directory %s: the first start of its server was interrupted; start the server first", dir.Path())
}

// connectStore connects to the etcd of the process that holds the directory.
func connectStore(ctx context.Context, holder *InUseError) (*Store, error) {
	socket, err := newSocket(filepath.Join(holder.Path, "etcd"))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	// Before gRPC, which logs each attempt.
	if err := dialOnce(ctx, socket); err != nil {
		return nil, errors.Join(noAnswerError(holder, err), socket.close())
	}
	client, err := newStoreClient(socket.endpoint())
	if err != nil {
		return nil, errors.Join(err, socket.close())
	}
	s := &Store{Client: client, Path: holder.Path, PID: holder.PID, socket: socket}
	if _, err := s.Client.Status(ctx, socket.endpoint()); err != nil {
		return nil, errors.Join(noAnswerError(holder, err), s.Close(ctx))
	}
	return s, nil
}

func dialOnce(ctx context.Context, socket *socket) error {
	connection, err := (&net.Dialer{}).DialContext(ctx, "unix", socket.path)
	if err != nil {
		return err
	}
	return connection.Close()
}

func noAnswerError(holder *InUseError, err error) error {
	return fmt.Errorf("data directory %s is in use by process %d, whose etcd does not answer: %w; it may be starting or stopping: try again, or stop it",
		holder.Path, holder.PID, err)
}

// NewClient returns a client of the etcd, which the caller closes.
func (e *Etcd) NewClient() (*clientv3.Client, error) { return newStoreClient(e.Endpoint()) }

func newStoreClient(endpoint string) (*clientv3.Client, error) {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, Logger: zap.NewNop()})
	if err != nil {
		return nil, fmt.Errorf("client of the embedded etcd: %w", err)
	}
	return client, nil
}

// Close closes the client and stops an etcd that OpenStore started.
func (s *Store) Close(ctx context.Context) error {
	err := s.Client.Close()
	if s.socket != nil {
		return errors.Join(err, s.socket.close())
	}
	return errors.Join(err, s.etcd.Close(ctx), s.dir.Close())
}

// QuotaBytes returns the quota of a running server, and 0 if none runs: it is an
// option of the server.
func (s *Store) QuotaBytes(ctx context.Context) (int64, error) {
	if s.socket == nil {
		return 0, nil
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", s.socket.path)
	}}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://etcd/metrics", nil)
	if err != nil {
		return 0, err
	}
	response, err := (&http.Client{Transport: transport, Timeout: answerTimeout}).Do(request)
	if err != nil {
		return 0, fmt.Errorf("metrics of the embedded etcd: %w", err)
	}
	text, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return 0, fmt.Errorf("metrics of the embedded etcd: %w", err)
	}
	return parseQuota(text)
}

func parseQuota(metrics []byte) (int64, error) {
	for lines := bufio.NewScanner(bytes.NewReader(metrics)); lines.Scan(); {
		if value, found := strings.CutPrefix(lines.Text(), quotaMetric+" "); found {
			quota, err := strconv.ParseFloat(value, 64)
			return int64(quota), err
		}
	}
	return 0, fmt.Errorf("metrics of the embedded etcd have no %s", quotaMetric)
}

package store

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
)

func TestStatusesOfEtcdsErrors(t *testing.T) {
	unavailable := func(text string) error { return status.Error(codes.Unavailable, text) }
	for _, test := range []struct {
		name        string
		err         error
		read, write int // 0: the error is not changed
	}{
		{"no leader", rpctypes.ErrNoLeader, 503, 503},
		{"leader changed", rpctypes.ErrLeaderChanged, 503, 503},
		{"a proposal dropped while the leader moves", status.Error(codes.Unknown, "raft proposal dropped"), 503, 503},
		{"too many requests that etcd has not applied", rpctypes.ErrTooManyRequests, 503, 503},
		{"a member that is starting", rpctypes.ErrNotCapable, 503, 503},
		{"a learner", rpctypes.Error(errIsLearner), 503, 503},
		{"connection refused", unavailable(`connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:2379: connect: connection refused"`), 503, 503},
		{"a certificate that does not match", unavailable(`connection error: desc = "transport: authentication handshake failed: tls: bad certificate"`), 503, 503},
		{"a timeout in etcd", rpctypes.ErrTimeout, 503, 504},
		{"a timeout after the leader failed", rpctypes.ErrTimeoutDueToLeaderFail, 503, 504},
		{"a timeout after a connection between members was lost", rpctypes.ErrTimeoutDueToConnectionLost, 503, 504},
		{"a timeout of a member that is behind", rpctypes.ErrGRPCTimeoutWaitAppliedIndex, 503, 504},
		{"a member that stops", rpctypes.ErrStopped, 503, 504},
		{"a cluster that is not healthy", rpctypes.ErrUnhealthy, 503, 504},
		{"a connection that broke", unavailable(`connection error: desc = "error reading from server: EOF"`), 503, 504},
		{"the deadline of the request", context.DeadlineExceeded, 504, 504},
		{"the deadline of gRPC", status.Error(codes.DeadlineExceeded, "context deadline exceeded"), 504, 504},

		{"a client that left", context.Canceled, 0, 0},
		{"a revision that is compacted", rpctypes.ErrCompacted, 0, 0},
		{"a revision in the future", rpctypes.ErrFutureRev, 0, 0},
		{"a full database", rpctypes.ErrNoSpace, 0, 500},
		{"a cluster that is corrupt, which needs a hand", rpctypes.ErrCorrupt, 0, 0},
		{"a client without permission", rpctypes.ErrPermissionDenied, 0, 0},
		{"an object that does not exist", storage.NewKeyNotFoundError("key", 0), 0, 0},
		{"an encryption plug-in that is away", storage.NewInternalError(unavailable("connection refused")), 0, 0},
		{"a webhook that did not answer", apierrors.NewInternalError(context.DeadlineExceeded), 0, 0},
		{"another error", errors.New("other"), 0, 0},
		{"no error", nil, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			requireStatus(t, test.err, statuses{}.read(test.err), test.read, retrySeconds)
			retry := retrySeconds
			if test.write == http.StatusGatewayTimeout || test.write == http.StatusInternalServerError {
				retry = 0
			}
			requireStatus(t, test.err, statuses{}.write(test.err), test.write, retry)
		})
	}
}

func requireStatus(t *testing.T, err, got error, code, retry int) {
	t.Helper()
	if code == 0 {
		require.Equal(t, err, got)
		return
	}
	answer, ok := errors.AsType[*apierrors.StatusError](got)
	require.True(t, ok, got)
	require.EqualValues(t, code, answer.Status().Code)
	require.EqualValues(t, retry, answer.Status().Details.RetryAfterSeconds)
	require.ErrorContains(t, got, err.Error(), "etcd's words")
}

// failingStore is a store whose writes fail with an error.
type failingStore struct {
	storage.Interface
	err error
}

func (s failingStore) Create(context.Context, string, runtime.Object, runtime.Object, uint64) error {
	return s.err
}

func (s failingStore) GuaranteedUpdate(context.Context, string, runtime.Object, bool, *storage.Preconditions, storage.UpdateFunc, runtime.Object) error {
	return s.err
}

func TestWritesToAFullStoreSayWhatToDo(t *testing.T) {
	writes := func(err error) map[string]error {
		store := etcdStore{failingStore{err: err}, statuses{EmbeddedRemedy}}
		return map[string]error{
			"create": store.Create(t.Context(), "key", nil, nil, 0),
			"update": store.GuaranteedUpdate(t.Context(), "key", nil, false, nil, nil, nil),
		}
	}
	for name, err := range writes(rpctypes.ErrNoSpace) {
		var answer apierrors.APIStatus
		require.ErrorAs(t, err, &answer, name)
		require.EqualValues(t, http.StatusInternalServerError, answer.Status().Code)
		require.ErrorContains(t, err, "reads and deletions still work; delete unneeded objects, or raise --etcd-quota-backend-bytes")
		require.ErrorContains(t, err, "database space exceeded", "etcd's own words, too")
	}
	const raise = "raise --max-request-bytes of etcd"
	tooLarge := func(text string) error { return status.Error(codes.ResourceExhausted, text) }
	for cause, says := range map[error]string{
		rpctypes.ErrRequestTooLarge: raise,
		tooLarge("grpc: received message larger than max (1536487 vs. 824288)"):  raise,
		tooLarge("trying to send message larger than max (2500000 vs. 2097152)"): "this server sends at most 2 MiB to etcd",
	} {
		for name, err := range writes(cause) {
			require.True(t, apierrors.IsRequestEntityTooLargeError(err), "%s: %v", name, err)
			require.ErrorContains(t, err, "make the object smaller")
			require.ErrorContains(t, err, says)
		}
	}
	other := errors.New("other")
	for name, err := range writes(other) {
		require.Equal(t, other, err, name)
	}
}

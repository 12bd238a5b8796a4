package recursion

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

const (
	// users ask side by side, each through kube-apiserver for so many objects, and
	// for one past it.
	users = 8
	each  = 5
	// patience is a user's without the FlowSchemas: shorter than this server's with a
	// review, 10 s, so that none has timed out when he leaves. ample is his with them,
	// on a slow machine.
	patience, ample = 6 * time.Second, time.Minute
)

// TestReviewsDoNotWaitBehindTheRequestsThatWaitForThem does the same twice. The
// stall is certain without our FlowSchemas, and not a matter of load: the server
// is paused until requests that were passed on to it hold every seat of the
// level, and more of them stand in line; only then can it ask about the first.
func TestReviewsDoNotWaitBehindTheRequestsThatWaitForThem(t *testing.T) {
	s := startSite(t)
	t.Run("with the FlowSchemas all are answered", func(t *testing.T) { testAnswered(t, s) })
	t.Run("without them none is", func(t *testing.T) { testStalled(t, s) })
}

func testAnswered(t *testing.T, s *site) {
	for _, q := range append(questions(), strange()) {
		s.awaitLevel(t, q, q.level)
	}
	results := s.saturate(t, "with", ample, func() {
		for _, q := range questions() {
			cluster.Eventually(t, q.name+" is answered while requests hold all seats", func(ctx context.Context) error {
				reply, err := s.question(ctx, t, q)
				if err == nil && reply.code != q.answer {
					err = fmt.Errorf("%d: %s", reply.code, reply.body)
				}
				return err
			})
		}
	}, func() {})
	for _, result := range results {
		require.NoError(t, result.err, result.path)
		require.Equal(t, http.StatusNotFound, result.code, "%s: %s", result.path, result.body)
	}
	require.Positive(t, s.waited(t), "requests queued here too")
}

func testStalled(t *testing.T, s *site) {
	s.kubectl.Run(t, "delete", "-k", flowSchemas(t))
	for _, q := range questions() {
		s.awaitLevel(t, q, level)
	}
	results := s.saturate(t, "without", patience, func() {
		for _, q := range questions() {
			reply, err := s.question(t.Context(), t, q)
			require.NoError(t, err, q.name)
			require.Contains(t, []int{http.StatusTooManyRequests, http.StatusGatewayTimeout}, reply.code, "%s: %s", q.name, reply.body)
		}
	}, func() {
		operator := s.operator(t)
		cluster.Eventually(t, "requests hold the seats here and queue for them", func(ctx context.Context) error {
			now, err := loadOf(ctx, operator)
			if err == nil && (now.executing == 0 || now.waiting == 0) {
				err = fmt.Errorf("%+v", now)
			}
			return err
		})
	})
	for _, result := range results {
		require.NotEqual(t, http.StatusNotFound, result.code, "%s was answered after %v", result.path, result.after)
	}
}

// awaitLevel waits until kube-apiserver governs a question of this server's by a
// level.
func (s *site) awaitLevel(t *testing.T, q question, name string) {
	t.Helper()
	uid := s.levels(t)[name]
	require.NotEmpty(t, uid, name)
	cluster.Eventually(t, q.name+" is of the level "+name, func(ctx context.Context) error {
		reply, err := s.question(ctx, t, q)
		if err == nil && reply.header.Get("X-Kubernetes-Pf-Prioritylevel-Uid") != uid {
			err = errors.New("not yet")
		}
		return err
	})
}

// levels are the UIDs of priority levels by their names.
func (s *site) levels(t *testing.T) map[string]string {
	t.Helper()
	list, err := s.Client.FlowcontrolV1().PriorityLevelConfigurations().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	uids := map[string]string{}
	for i := range list.Items {
		uids[list.Items[i].Name] = string(list.Items[i].UID)
	}
	return uids
}

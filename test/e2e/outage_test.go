package e2e

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// waitReadiness waits until /readyz answers with the code, and says the text.
func (s *site) waitReadiness(t *testing.T, code int, text string) {
	t.Helper()
	eventually(t, "/readyz is as it should be", func(ctx context.Context) (bool, error) {
		answer, err := trySend(ctx, s.http, http.MethodGet, s.URL+"/readyz", "")
		return err == nil && answer.code == code && strings.Contains(answer.body, text), err
	})
}

// writeInVain sends a write that ends when its time is over, again if the answer is
// cut off: the library does that to one which begins just then.
func (s *site) writeInVain(t *testing.T) reply {
	t.Helper()
	for attempt := 1; ; attempt++ {
		ctx, cancel := context.WithTimeout(t.Context(), grace)
		answer, err := trySend(ctx, s.http, http.MethodPost, s.URL+v1Path+"/prioritylevelconfigurations?timeout=2s", toJSON(t, newLevel("during", 1)))
		hangs := ctx.Err() != nil
		cancel()
		if err == nil || hangs || attempt == 5 {
			require.NoError(t, err)
			return answer
		}
	}
}

func TestEtcdStopsAndComesBack(t *testing.T) {
	t.Parallel()
	etcd := startEtcd(t)
	s := startSite(t, etcd)
	before := s.createLevel(t, newLevel("before", 3))
	watcher := s.watchSchemas(t, labelSet("through"))

	etcd.Stop(t)
	s.waitReadiness(t, http.StatusInternalServerError, "[-]etcd failed: etcd does not answer as it should: see that it runs")
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/livez", "").code, "a restart would not help")
	write := s.writeInVain(t)
	require.GreaterOrEqual(t, write.code, 500, write.body)
	require.Contains(t, write.body, `"status":"Failure"`)

	etcd.Start(t)
	s.waitReadiness(t, http.StatusOK, "ok")
	after, err := s.levels().Get(t.Context(), "before", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, before, after)
	created := s.createLabelled(t, "through", 1)
	requireAdded(t, watcher, created.Name)
}

// TestEtcdHangs stops etcd's process without ending it: connections stay open
// and nothing answers.
func TestEtcdHangs(t *testing.T) {
	t.Parallel()
	etcd := startEtcd(t)
	s := startSite(t, etcd)
	etcd.Process.Pause(t)
	s.waitReadiness(t, http.StatusInternalServerError, "[-]etcd failed: etcd does not answer as it should: see that it runs")
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/livez", "").code)
	answer := s.writeInVain(t)
	require.Equal(t, http.StatusGatewayTimeout, answer.code, answer.body)
	require.Contains(t, answer.body, `"reason":"Timeout"`)

	etcd.Process.Resume()
	s.waitReadiness(t, http.StatusOK, "ok")
	s.createLevel(t, newLevel("after", 1))
}

func TestEtcdUnreachableAtStart(t *testing.T) {
	t.Parallel()
	etcd := startEtcd(t)
	etcd.Stop(t)
	server := harness.LaunchServer(t, harness.ServerOptions{Etcd: etcd})
	ctx, cancel := context.WithTimeout(t.Context(), grace)
	defer cancel()
	code, err := server.Process.ExitCode(ctx)
	require.NoError(t, err, "it neither became ready nor gave up")
	require.Equal(t, 1, code)
	message := lastLine(server.Process.Output())
	require.Contains(t, message, etcd.URL)
	require.Contains(t, message, "see that it runs")
}

// lastLine is the last line of a text that is not empty.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// TestEtcdWiped takes all keys away under a running server.
func TestEtcdWiped(t *testing.T) {
	t.Parallel()
	for name, startStore := range stores() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startSite(t, startStore(t))
			s.createSchema(t, newSchema("wiped", "catch-all"))
			_, err := s.store(t).Delete(t.Context(), "", clientv3.WithPrefix())
			require.NoError(t, err)

			// The cache takes what one transaction deleted object by object, all at one
			// revision: a list may come when it has taken the first of them only.
			eventually(t, "the schema has gone", func(ctx context.Context) (bool, error) {
				list, err := s.schemas().List(ctx, metav1.ListOptions{})
				return err == nil && !slices.Contains(names(list), "wiped"), err
			})
			s.createSchema(t, newSchema("wiped", "catch-all"))
			require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/readyz", "").code)
			s.Stop(t)
			s.Start(t)
			_, err = s.schemas().Get(t.Context(), "catch-all", metav1.GetOptions{})
			require.NoError(t, err)
			_, err = s.schemas().Get(t.Context(), "wiped", metav1.GetOptions{})
			require.NoError(t, err)
		})
	}
}

// TestEtcdFull lets etcd run into its quota: it then refuses what writes and
// answers what reads.
func TestEtcdFull(t *testing.T) {
	t.Parallel()
	s := startSite(t, startEtcd(t, "--quota-backend-bytes=4194304"))
	s.createLevel(t, newLevel("before", 1))
	store := s.store(t)
	for {
		if _, err := store.Put(t.Context(), "/filler/"+rand.String(10), strings.Repeat("x", 512<<10)); err != nil {
			require.ErrorContains(t, err, "database space exceeded")
			break
		}
	}
	for _, request := range []struct{ method, path, body string }{
		{http.MethodPost, "", toJSON(t, newLevel("during", 1))},
		{http.MethodPut, "/before", toJSON(t, newLevel("before", 2))},
	} {
		answer := s.do(t, request.method, v1Path+"/prioritylevelconfigurations"+request.path, request.body)
		require.GreaterOrEqual(t, answer.code, 500, answer.body)
		require.Contains(t, answer.status(t).Message, "database space exceeded")
	}
	for _, path := range []string{"", "/before"} {
		require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, v1Path+"/prioritylevelconfigurations"+path, "").code)
	}
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/livez", "").code)
}

// TestForeignPrefix puts the server where a kube-apiserver keeps its objects:
// it shares those of this group and leaves all else alone.
func TestForeignPrefix(t *testing.T) {
	t.Parallel()
	etcd := startEtcd(t)
	store := etcd.Client(t)
	_, err := store.Put(t.Context(), "/registry/pods/default/other", "k8s\x00not ours")
	require.NoError(t, err)
	first := startSite(t, etcd, "--etcd-prefix=/registry")
	schema, level := first.createSchema(t, newSchema("shared", "catch-all")), first.createLevel(t, newLevel("shared", 1))
	requireStored(t, first, "/registry", schema, level)
	other, err := store.Get(t.Context(), "/registry/pods/default/other")
	require.NoError(t, err)
	require.Equal(t, "k8s\x00not ours", string(other.Kvs[0].Value))

	// Under the default prefix are none of these, and the other way round.
	second := startSite(t, etcd)
	answer := second.do(t, http.MethodGet, v1Path+"/flowschemas/shared", "")
	require.Equal(t, http.StatusNotFound, answer.code)
	second.createSchema(t, newSchema("apart", "catch-all"))
	require.Equal(t, http.StatusNotFound, first.do(t, http.MethodGet, v1Path+"/flowschemas/apart", "").code)
}

// TestUnreadableObject has an object in the store that nobody can decode. Whoever
// is not the first to read it is told its key.
func TestUnreadableObject(t *testing.T) {
	t.Parallel()
	for name, startStore := range stores() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startSite(t, startStore(t))
			key := storePrefix + "/flowschemas/broken"
			_, err := s.store(t).Put(t.Context(), key, "k8s\x00\xff\xff")
			require.NoError(t, err)
			require.Equal(t, http.StatusInternalServerError, s.do(t, http.MethodGet, v1Path+"/flowschemas/broken", "").code)
			answer := s.do(t, http.MethodGet, v1Path+"/flowschemas/broken", "")
			require.Equal(t, http.StatusInternalServerError, answer.code)
			require.Contains(t, answer.status(t).Message, "the key "+key+" in etcd holds no object that can be read")
			require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, v1Path+"/flowschemas/catch-all", "").code)
			require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/livez", "").code)
		})
	}
}

// TestUnreadableObjectAtStart starts a server on such a store. It says which key
// it is, and is ready once the key has gone.
func TestUnreadableObjectAtStart(t *testing.T) {
	t.Parallel()
	etcd := startEtcd(t)
	key := storePrefix + "/flowschemas/broken"
	_, err := etcd.Client(t).Put(t.Context(), key, "nonsense")
	require.NoError(t, err)
	server := harness.LaunchServer(t, harness.ServerOptions{Etcd: etcd})
	ctx, cancel := context.WithTimeout(t.Context(), grace)
	defer cancel()
	require.NoError(t, server.Process.WaitOutput(ctx, "the key "+key+" in etcd holds no object that can be read: keep a copy and delete the key"))
	eventually(t, "/readyz says that it is an object", func(ctx context.Context) (bool, error) {
		answer, err := trySend(ctx, anonymousClient(), http.MethodGet, server.URL+"/readyz?verbose", "")
		return answer.code == http.StatusInternalServerError && strings.Contains(answer.body, "[-]stored-objects failed: there is something at our keys in etcd that cannot be read"), err
	})
	_, err = etcd.Client(t).Delete(t.Context(), key)
	require.NoError(t, err)
	// With a deadline of its own: who has tried in vain waits longer and longer.
	(&site{Server: server}).waitReady(t)
}

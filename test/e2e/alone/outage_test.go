package alone

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// waitReadiness waits until /readyz answers with the code and the text.
func (s *site) waitReadiness(t *testing.T, code int, text string) {
	t.Helper()
	eventually.Holds(t, "/readyz answers "+strconv.Itoa(code), func(a *eventually.Attempt) {
		answer, err := harness.Send(a.Context(), anonymousClient(), http.MethodGet, s.URL+"/readyz?verbose", "")
		require.NoError(a, err)
		require.Equal(a, code, answer.Code, answer.Body)
		require.Contains(a, answer.Body, text)
	})
}

// writeInVain sends a write that must time out. It retries if the answer is cut
// off: k8s.io/apiserver does that to an answer that begins just as the request
// times out.
func (s *site) writeInVain(t *testing.T) (answer harness.Reply) {
	t.Helper()
	body := toJSON(t, objects.LevelOf("during", 1))
	eventually.Holds(t, "a write is answered", func(a *eventually.Attempt) {
		var err error
		answer, err = harness.Send(a.Context(), s.http, http.MethodPost, s.URL+v1Path+"/prioritylevelconfigurations?timeout=2s", body)
		require.NoError(a, err)
	})
	return answer
}

// testEtcdAway stops etcd's process, or pauses it: connections stay open and get no answers.
func testEtcdAway(t *testing.T, s *live, leave func(harness.TB), back func()) {
	t.Helper()
	before := s.createLevel(t, objects.LevelOf("before", 3))
	s.removeAfter(t, "before", "through")
	watcher := s.watchSchemas(t, metav1.ListOptions{FieldSelector: "metadata.name=through"})

	leave(t)
	s.waitReadiness(t, http.StatusInternalServerError, "[-]etcd failed: etcd does not respond as it should: check that it runs")
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/livez", "").Code, "a restart would not help")
	check := s.do(t, http.MethodGet, "/livez/etcd", "")
	require.Equal(t, http.StatusInternalServerError, check.Code)
	require.Contains(t, check.Body, "internal server error: ", "as kube-apiserver says")
	write := s.writeInVain(t)
	require.Contains(t, []int{http.StatusServiceUnavailable, http.StatusGatewayTimeout}, write.Code, write.Body)
	require.Contains(t, write.Body, `"status":"Failure"`)

	back()
	s.waitReadiness(t, http.StatusOK, "ok")
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/livez/etcd", "").Code)
	after, err := s.levels().Get(t.Context(), "before", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, before, after)
	s.createSchema(t, objects.SchemaOf("through", "catch-all"))
	requireAdded(t, watcher, "through")
}

func TestEtcdUnreachableAtStart(t *testing.T) {
	t.Parallel()
	url := "http://" + ports.Loopback(ports.Free(t, 1)[0])
	message := rejected(t, "--etcd-servers="+url, freePort(t))
	require.Contains(t, message, url)
	require.Contains(t, message, "check that it runs")
}

// testWipedStore deletes all keys while the server runs.
func testWipedStore(t *testing.T, s *live) {
	s.createSchema(t, objects.SchemaOf("wiped", "catch-all"))
	_, err := s.Store(t).Delete(t.Context(), "", clientv3.WithPrefix())
	require.NoError(t, err)

	// The cache processes the deletions of one transaction one by one, all at one
	// revision. A list may see only the first of them.
	eventually.Holds(t, "the schema has gone", func(a *eventually.Attempt) {
		list, err := s.schemas().List(a.Context(), metav1.ListOptions{})
		require.NoError(a, err)
		require.NotContains(a, names(list), "wiped")
	})
	s.createSchema(t, objects.SchemaOf("wiped", "catch-all"))
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/readyz", "").Code)
	s.restart(t)
	for _, name := range []string{"catch-all", "wiped"} {
		_, err = s.schemas().Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
	}
}

// TestEtcdFull fills etcd to its quota. etcd then rejects writes and answers
// reads.
func TestEtcdFull(t *testing.T) {
	t.Parallel()
	s := startSite(t, startEtcd(t, "--quota-backend-bytes=4194304"))
	s.createLevel(t, objects.LevelOf("before", 1))
	store := s.Store(t)
	for i := 0; ; i++ {
		if _, err := store.Put(t.Context(), "/filler/"+strconv.Itoa(i), strings.Repeat("x", 512<<10)); err != nil {
			require.ErrorContains(t, err, "database space exceeded")
			break
		}
	}
	answer := s.do(t, http.MethodPut, v1Path+"/prioritylevelconfigurations/before", toJSON(t, objects.LevelOf("before", 2)))
	require.GreaterOrEqual(t, answer.Code, 500, answer.Body)
	require.Contains(t, answer.Status(t).Message, "database space exceeded")
	require.Contains(t, answer.Status(t).Message, "disarm the alarm with etcdctl")
	for _, path := range []string{"", "/before"} {
		require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, v1Path+"/prioritylevelconfigurations"+path, "").Code)
	}
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/livez", "").Code)
}

// waitServing waits until the server is ready and a list succeeds.
func (s *site) waitServing(t *testing.T) {
	t.Helper()
	eventually.Holds(t, "the server is ready and lists", func(a *eventually.Attempt) {
		for _, path := range []string{"/readyz", v1Path + "/flowschemas"} {
			answer, err := harness.Send(a.Context(), s.http, http.MethodGet, s.URL+path, "")
			require.NoError(a, err)
			require.Equal(a, http.StatusOK, answer.Code, answer.Body)
		}
	})
}

// testUnreadableObjectAtStart starts the server with an unreadable object in the store. The server
// reports the key, and becomes ready once the key is deleted.
func testUnreadableObjectAtStart(t *testing.T, s *live) {
	key := storePrefix + "/flowschemas/broken"
	s.Stop(t)
	_, err := s.Store(t).Put(t.Context(), key, "nonsense")
	require.NoError(t, err)
	s.Launch(s.owner)
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	require.NoError(t, s.Process.WaitOutput(ctx, "the key "+key+" in etcd holds no object that can be read: delete nothing, check --etcd-prefix"))
	s.waitReadiness(t, http.StatusInternalServerError, "[-]stored-objects failed: an object in etcd under this server's prefix cannot be read")
	_, err = s.Store(t).Delete(t.Context(), key)
	require.NoError(t, err)
	s.waitServing(t)
}

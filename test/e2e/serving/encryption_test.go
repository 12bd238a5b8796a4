package serving

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	storePrefix = "/registry/flowcontrol.apiserver.k8s.io"
	// secretUser is a name in a rule that must not be readable in etcd.
	secretUser = "somebody-in-particular"
	// unsafeDelete are the options that delete an unreadable object.
	unsafeDelete = `{"apiVersion":"v1","kind":"DeleteOptions","ignoreStoreReadErrorWithClusterBreakingPotential":true}`
)

// encryptedStore is an etcd and the encryption configuration of its FlowSchemas.
type encryptedStore struct {
	etcd   *harness.Etcd
	client *clientv3.Client
	config string
}

// TestKeysOfEncryptionAtRestAreRotated follows Kubernetes' documentation: add the
// new key before the old one, rewrite all objects, remove the old key. One object
// is not rewritten.
func TestKeysOfEncryptionAtRestAreRotated(t *testing.T) {
	t.Parallel()
	store := newEncryptedStore(t)
	store.setKeys(t, "old")
	s := startSite(t, harness.ServerOptions{Etcd: store.etcd, Args: append(store.args(), "--livez-grace-period=24h",
		"--feature-gates=AllowUnsafeMalformedObjectDeletion=true,WatchCacheInitializationPostStartHook=true")})
	for _, name := range []string{"rotated", "forgotten"} {
		s.createSchema(t, name, secretUser)
		store.requireEncrypted(t, name, "old")
	}
	require.Equal(t, http.StatusCreated, s.ask(t, http.MethodPost, levelsPath, levelNamed("plain")).Code)
	require.Contains(t, store.read(t, "prioritylevelconfigurations/plain"), "k8s\x00", "the file names FlowSchemas alone")

	store.setKeys(t, "new", "old")
	s.Stop(t)
	s.Start(t)
	s.awaitAnswer(t)
	s.rewriteAllBut(t, "forgotten")
	store.requireEncrypted(t, "rotated", "new")
	store.requireEncrypted(t, "forgotten", "old")

	store.setKeys(t, "new")
	s.Stop(t)
	s.Launch(t)
	s.awaitAnswer(t)
	impatient := launchSite(t, harness.ServerOptions{Etcd: store.etcd, Args: append(store.args(), "--livez-grace-period=1ms",
		"--feature-gates=WatchCacheInitializationPostStartHook=true")})
	t.Run("what was written again is read with the new key", func(t *testing.T) {
		schema, err := s.api.FlowSchemas().Get(t.Context(), "rotated", metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, secretUser, schema.Spec.Rules[0].Subjects[0].User.Name)
	})
	t.Run("what was forgotten is named", func(t *testing.T) {
		requireForgottenNamed(t, s)
		requireForgottenNamed(t, impatient)
	})
	t.Run("liveness waits as long as its grace period says", func(t *testing.T) { testGracePeriod(t, s, impatient) })
	t.Run("what was forgotten can be deleted", func(t *testing.T) { testUnsafeDelete(t, s) })
	t.Run("both servers are ready and alive once it is gone", func(t *testing.T) {
		for _, s := range []*site{s, impatient} {
			require.NoError(t, s.WaitReady(t.Context()))
			require.Equal(t, http.StatusOK, s.ask(t, http.MethodGet, "/livez", "").Code)
		}
		list, err := impatient.api.FlowSchemas().List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.NotEmpty(t, list.Items)
	})
}

func newEncryptedStore(t *testing.T) *encryptedStore {
	t.Helper()
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	return &encryptedStore{etcd: etcd, client: etcd.Client(t), config: filepath.Join(t.TempDir(), "encryption.yaml")}
}

// args returns the flags of a server on this store. The server waits for its watch
// caches without a limit.
func (e *encryptedStore) args() []string {
	return []string{"--encryption-provider-config=" + e.config, "--storage-initialization-timeout=24h"}
}

// setKeys sets the keys of servers started from now on: the first key encrypts,
// all keys decrypt.
func (e *encryptedStore) setKeys(t *testing.T, names ...string) {
	t.Helper()
	config := `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [flowschemas.flowcontrol.apiserver.k8s.io]
  providers:
  - aescbc:
      keys:
`
	for _, name := range names {
		config += fmt.Sprintf("      - name: %s\n        secret: %s\n", name, secrets[name])
	}
	require.NoError(t, os.WriteFile(e.config, []byte(config), 0o600))
}

// secrets maps the names of the keys to the keys.
var secrets = map[string]string{
	"old": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
	"new": "ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=",
}

// read returns the stored bytes of an object.
func (e *encryptedStore) read(t *testing.T, object string) string {
	t.Helper()
	answer, err := e.client.Get(t.Context(), storePrefix+"/"+object)
	require.NoError(t, err)
	require.Len(t, answer.Kvs, 1, object)
	return string(answer.Kvs[0].Value)
}

func (e *encryptedStore) requireEncrypted(t *testing.T, schema, key string) {
	t.Helper()
	stored := e.read(t, "flowschemas/"+schema)
	require.True(t, strings.HasPrefix(stored, "k8s:enc:aescbc:v1:"+key+":"), "%.40q", stored)
	require.NotContains(t, stored, secretUser)
	require.NotContains(t, stored, "catch-all")
}

// rewriteAllBut rewrites all FlowSchemas but one, unchanged.
func (s *site) rewriteAllBut(t *testing.T, forgotten string) {
	t.Helper()
	list, err := s.api.FlowSchemas().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, schema := range list.Items {
		if schema.Name == forgotten {
			continue
		}
		name := schema.Name
		eventually.Holds(t, "the FlowSchema is written again", func(a *eventually.Attempt) {
			current, err := s.api.FlowSchemas().Get(a.Context(), name, metav1.GetOptions{})
			require.NoError(a, err)
			_, err = s.api.FlowSchemas().Update(a.Context(), current, metav1.UpdateOptions{})
			require.NoError(a, err)
		})
	}
}

// requireForgottenNamed checks that readiness, and the error of a get of the
// object, name its key.
func requireForgottenNamed(t *testing.T, s *site) {
	t.Helper()
	const named = "the key " + storePrefix + "/flowschemas/forgotten in etcd holds no object that can be read"
	eventually.Holds(t, "readiness names the key", func(a *eventually.Attempt) {
		require.Contains(a, s.get(a, "/readyz").Body, "[-]stored-objects failed")
		require.Contains(a, s.get(a, "/readyz/stored-objects").Body, named)
	})
	answer := s.ask(t, http.MethodGet, schemasPath+"/forgotten", "")
	require.Equal(t, http.StatusInternalServerError, answer.Code)
	require.Contains(t, answer.Body, named)
}

// testGracePeriod compares two servers with different --livez-grace-period.
// Neither has finished its start: the watch cache of the FlowSchemas cannot be
// filled.
func testGracePeriod(t *testing.T, patient, impatient *site) {
	t.Helper()
	const unfinished = "[-]poststarthook/storage-readiness failed"
	eventually.Holds(t, "the one without patience is not alive", func(a *eventually.Attempt) {
		answer := impatient.get(a, "/livez")
		require.Equal(a, http.StatusInternalServerError, answer.Code)
		require.Contains(a, answer.Body, unfinished)
	})
	live := patient.ask(t, http.MethodGet, "/livez?verbose", "")
	require.Equal(t, http.StatusOK, live.Code, live.Body)
	require.Contains(t, live.Body, "[+]poststarthook/storage-readiness ok")
	require.Contains(t, patient.ask(t, http.MethodGet, "/readyz", "").Body, unfinished, "or there was nothing to be patient about")
}

// testUnsafeDelete deletes an unreadable object with the option of kube-apiserver
// 1.33.
func testUnsafeDelete(t *testing.T, s *site) {
	t.Helper()
	rejected := s.ask(t, http.MethodDelete, schemasPath+"/forgotten", "")
	require.Equal(t, http.StatusInternalServerError, rejected.Code, rejected.Body)
	spared := s.ask(t, http.MethodDelete, schemasPath+"/rotated", unsafeDelete)
	require.Equal(t, http.StatusUnprocessableEntity, spared.Code, spared.Body)
	require.Contains(t, spared.Body, "is exclusively used to delete corrupt object(s)")
	deleted := s.ask(t, http.MethodDelete, schemasPath+"/forgotten", unsafeDelete)
	require.Equal(t, http.StatusOK, deleted.Code, deleted.Body)
	require.Equal(t, http.StatusNotFound, s.ask(t, http.MethodGet, schemasPath+"/forgotten", "").Code)
}

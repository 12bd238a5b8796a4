package servingca

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"strconv"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/util/cert"
	testingclock "k8s.io/utils/clock/testing"
)

const (
	namespace, service = "flowcontrol-system", "flowcontrol-apiserver"
	secretName         = "flowcontrol-apiserver-serving" // of artifacts/base
	serverName         = "flowcontrol-apiserver.flowcontrol-system.svc"
	v1beta3, v1        = "v1beta3.flowcontrol.apiserver.k8s.io", "v1.flowcontrol.apiserver.k8s.io"
	year               = 365 * 24 * time.Hour
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// cluster is a kube-apiserver with optimistic concurrency, which the fake clients lack.
type cluster struct {
	t        *testing.T
	client   *fake.Clientset
	dynamic  *dynamicfake.FakeDynamicClient
	version  int
	forbid   map[string]bool // "verb resource"
	afterGet func()          // runs once, after the next Secret is read by a replica
	writings int             // of Secrets
}

func newCluster(t *testing.T, objects ...runtime.Object) *cluster {
	t.Helper()
	c := &cluster{t: t, client: fake.NewClientset(), forbid: map[string]bool{}, dynamic: dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}: "APIServiceList"}, objects...)}
	c.client.PrependReactor("*", "secrets", c.react(c.client.Tracker()))
	c.dynamic.PrependReactor("*", "apiservices", c.react(c.dynamic.Tracker()))
	return c
}

// react rejects what is forbidden, and updates of an object that has changed since it was read.
func (c *cluster) react(tracker clienttesting.ObjectTracker) clienttesting.ReactionFunc {
	return func(action clienttesting.Action) (bool, runtime.Object, error) {
		resource := action.GetResource().GroupResource()
		if c.forbid[action.GetVerb()+" "+resource.Resource] {
			return true, nil, apierrors.NewForbidden(resource, "", nil)
		}
		write, is := action.(clienttesting.UpdateAction)
		if !is {
			return false, nil, nil
		}
		object := write.GetObject().(metav1.Object)
		if action.GetVerb() == "update" {
			stored, err := tracker.Get(action.GetResource(), action.GetNamespace(), object.GetName())
			if err != nil {
				return true, nil, err
			}
			if stored.(metav1.Object).GetResourceVersion() != object.GetResourceVersion() {
				return true, nil, apierrors.NewConflict(resource, object.GetName(), nil)
			}
		}
		if action.GetVerb() == "create" {
			if _, err := tracker.Get(action.GetResource(), action.GetNamespace(), object.GetName()); err == nil {
				return true, nil, apierrors.NewAlreadyExists(resource, object.GetName())
			}
		}
		if resource.Resource == "secrets" {
			c.writings++
		}
		c.version++
		object.SetResourceVersion(strconv.Itoa(c.version))
		return false, nil, nil
	}
}

func apiService(name, service string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": map[string]any{"name": name, "resourceVersion": "0"},
		"spec": map[string]any{"service": map[string]any{"namespace": namespace, "name": service}},
	}}
}

// Secrets implements corev1client.SecretsGetter.
func (c *cluster) Secrets(namespace string) corev1client.SecretInterface {
	return secrets{c.client.CoreV1().Secrets(namespace), c}
}

type secrets struct {
	corev1client.SecretInterface
	cluster *cluster
}

// Get implements corev1client.SecretInterface.
func (s secrets) Get(ctx context.Context, name string, options metav1.GetOptions) (*corev1.Secret, error) {
	secret, err := s.SecretInterface.Get(ctx, name, options)
	if then := s.cluster.afterGet; then != nil {
		s.cluster.afterGet = nil
		then()
	}
	return secret, err
}

// replica is a controller with a clock of its own.
type replica struct {
	*Controller
	clock *testingclock.FakeClock
}

func (c *cluster) replica(ahead time.Duration) *replica {
	c.t.Helper()
	initial, key, err := cert.GenerateSelfSignedCertKey("initial", nil, nil)
	require.NoError(c.t, err)
	content, err := dynamiccertificates.NewStaticCertKeyContent("initial", initial, key)
	require.NoError(c.t, err)
	clock := testingclock.NewFakeClock(start.Add(ahead))
	return &replica{clock: clock, Controller: New(Config{
		Secrets: c, APIServices: c.dynamic, Service: types.NamespacedName{Namespace: namespace, Name: service}, Initial: content, Clock: clock, Log: logr.Discard(),
	})}
}

// run looks for a time, as Run does.
func (r *replica) run(ctx context.Context, d time.Duration) {
	for end := r.clock.Now().Add(d); r.clock.Now().Before(end); {
		r.clock.Step(r.Look(ctx))
	}
}

func (c *cluster) secret() *corev1.Secret {
	c.t.Helper()
	secret, err := c.client.CoreV1().Secrets(namespace).Get(c.t.Context(), secretName, metav1.GetOptions{})
	require.NoError(c.t, err)
	return secret
}

// put writes the Secret as an administrator does.
func (c *cluster) put(data map[string][]byte) {
	c.t.Helper()
	secrets := c.client.CoreV1().Secrets(namespace)
	secret, err := secrets.Get(c.t.Context(), secretName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = secrets.Create(c.t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: secretName, Namespace: namespace}, Data: data}, metav1.CreateOptions{})
	} else if err == nil {
		secret.Data = data
		_, err = secrets.Update(c.t.Context(), secret, metav1.UpdateOptions{})
	}
	require.NoError(c.t, err)
}

func (c *cluster) registered(name string) *unstructured.Unstructured {
	c.t.Helper()
	object, err := c.dynamic.Resource(schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}).Get(c.t.Context(), name, metav1.GetOptions{})
	require.NoError(c.t, err)
	return object
}

// bundle returns caBundle of an APIService.
func (c *cluster) bundle(name string) []byte {
	c.t.Helper()
	encoded, _, _ := unstructured.NestedString(c.registered(name).Object, "spec", "caBundle")
	content, err := base64.StdEncoding.DecodeString(encoded)
	require.NoError(c.t, err)
	return content
}

// presents returns the certificate that a replica presents.
func (r *replica) presents(t *testing.T) *x509.Certificate {
	t.Helper()
	pair, err := tls.X509KeyPair(r.Presented().CurrentCertKeyContent())
	require.NoError(t, err)
	return pair.Leaf
}

// trusts verifies a replica as kube-apiserver does, which knows an APIService.
func (c *cluster) trusts(r *replica, bundle []byte, now time.Time) error {
	c.t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(bundle)
	_, err := r.presents(c.t).Verify(x509.VerifyOptions{Roots: roots, DNSName: serverName, CurrentTime: now})
	return err
}

func TestACertificateIsIssuedFromACAInTheSecretAndTrusted(t *testing.T) {
	for name, prepare := range map[string]func(*cluster){
		"an empty Secret":   func(c *cluster) { c.put(nil) },
		"no Secret":         func(*cluster) {},
		"a Secret of files": func(c *cluster) { c.put(map[string][]byte{"tls.crt": []byte("kept")}) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, apiService(v1beta3, service), apiService(v1, "other"))
			prepare(c)
			r := c.replica(0)
			require.Error(t, r.Check(nil))
			require.Equal(t, soon, r.Look(t.Context()))
			require.NoError(t, r.Check(nil))
			require.Empty(t, r.Message())
			require.NoError(t, c.trusts(r, c.bundle(v1beta3), start))
			require.Equal(t, c.secret().Data["ca.crt"], c.bundle(v1beta3))
			require.Empty(t, c.bundle(v1), "is not of this server")
			require.Equal(t, name == "a Secret of files", string(c.secret().Data["tls.crt"]) == "kept")
			written := c.version
			r.run(t.Context(), 10*time.Minute)
			require.Equal(t, written, c.version, "nothing changes after that")
		})
	}
}

func TestTwoReplicasThatCreateAtOnceAgree(t *testing.T) {
	for name, prepare := range map[string]func(*cluster){"an empty Secret": func(c *cluster) { c.put(nil) }, "no Secret": func(*cluster) {}} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, apiService(v1beta3, service))
			prepare(c)
			c.writings = 0
			first, second := c.replica(0), c.replica(0)
			c.afterGet = func() { second.Look(t.Context()) }
			first.run(t.Context(), time.Second)
			require.Equal(t, 1, c.writings)
			for _, r := range []*replica{first, second} {
				require.NoError(t, c.trusts(r, c.secret().Data["ca.crt"], start))
				require.NoError(t, c.trusts(r, c.bundle(v1beta3), start))
			}
		})
	}
}

// The bundle that a kube-apiserver has is one of the last ten seconds.
func TestNoCertificateIsPresentedBeforeEveryKubeAPIServerTrustsItsCA(t *testing.T) {
	for name, change := range map[string]func(*cluster){
		"the CA ends":           func(*cluster) {},
		"the key is removed":    func(c *cluster) { c.put(map[string][]byte{"ca.crt": c.secret().Data["ca.crt"]}) },
		"the Secret is emptied": func(c *cluster) { c.put(nil) },
		"the Secret is deleted": func(c *cluster) {
			require.NoError(c.t, c.client.CoreV1().Secrets(namespace).Delete(c.t.Context(), secretName, metav1.DeleteOptions{}))
		},
		"another CA is put in":     func(c *cluster) { c.put(otherCA(c.t)) },
		"caBundle is emptied once": func(c *cluster) { c.clear(v1beta3); c.put(otherCA(c.t)) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, apiService(v1beta3, service))
			replicas := []*replica{c.replica(0), c.replica(0), c.replica(0)}
			for _, r := range replicas {
				r.run(t.Context(), time.Minute)
			}
			before := replicas[0].presents(t)
			if name == "the CA ends" {
				for _, r := range replicas {
					r.clock.Step(9*year + time.Hour)
				}
			}
			change(c)
			// Each second, the replicas whose time has come look.
			known, next, now := [][]byte{c.bundle(v1beta3)}, make([]time.Time, len(replicas)), replicas[0].clock.Now()
			foreign := name == "another CA is put in" || name == "caBundle is emptied once"
			if name == "caBundle is emptied once" {
				known = nil // that was no change of this server
			}
			for range 60 {
				for i, r := range replicas {
					r.clock.SetTime(now)
					if !now.Before(next[i]) {
						next[i] = now.Add(r.Look(t.Context()))
					}
					if known != nil { // what the slowest kube-apiserver has
						require.NoError(t, c.trusts(r, known[0], now))
					}
					if !foreign { // what a client has that reads the Secret
						require.NoError(t, c.trusts(r, c.secret().Data["ca.crt"], now))
					}
				}
				known = append(known, c.bundle(v1beta3))
				known = known[max(0, len(known)-int(Settling/time.Second)):]
				now = now.Add(time.Second)
			}
			for _, r := range replicas {
				require.NotEqual(t, before.Issuer.String(), r.presents(t).Issuer.String())
				require.Empty(t, r.Message())
			}
		})
	}
}

func (c *cluster) clear(name string) {
	object := c.registered(name)
	unstructured.RemoveNestedField(object.Object, "spec", "caBundle")
	_, err := c.dynamic.Resource(schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}).Update(c.t.Context(), object, metav1.UpdateOptions{})
	require.NoError(c.t, err)
}

// otherCA is what the Secret of another cluster has.
func otherCA(t *testing.T) map[string][]byte {
	t.Helper()
	other := newCluster(t)
	other.replica(0).Look(t.Context())
	return other.secret().Data
}

func TestAReplicaWithAWrongClockPresentsWhatOthersAccept(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"ahead": 12 * year, "behind": -12 * year} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, apiService(v1beta3, service))
			right, wrong := c.replica(0), c.replica(ahead)
			right.Look(t.Context())
			for range 20 {
				wrong.run(t.Context(), 20*time.Second)
				right.run(t.Context(), 20*time.Second)
				for _, r := range []*replica{right, wrong} {
					require.NoError(t, c.trusts(r, c.bundle(v1beta3), right.clock.Now()))
				}
			}
			require.LessOrEqual(t, c.writings, 2, "the replicas do not replace each other's CA")
		})
	}
}

func TestWhatOthersTrustIsKeptInTheBundle(t *testing.T) {
	other := otherCA(t)["ca.crt"]
	registered := apiService(v1beta3, service)
	require.NoError(t, unstructured.SetNestedField(registered.Object, base64.StdEncoding.EncodeToString(other), "spec", "caBundle"))
	c := newCluster(t, registered)
	r := c.replica(0)
	r.Look(t.Context())
	require.NoError(t, c.trusts(r, c.bundle(v1beta3), start))
	require.Contains(t, string(c.bundle(v1beta3)), string(other))
	for range 8 {
		r.clock.Step(5 * year)
		r.run(t.Context(), time.Minute)
	}
	require.NotContains(t, string(c.bundle(v1beta3)), string(other), "it has ended")
	certificates, err := cert.ParseCertsPEM(c.bundle(v1beta3))
	require.NoError(t, err)
	require.LessOrEqual(t, len(certificates), 3)
}

func TestWhatCannotBeUsedIsNotOverwrittenAndTheLastCertificateStays(t *testing.T) {
	valid := otherCA(t)
	leaf := func() []byte {
		a, err := parse(valid)
		require.NoError(t, err)
		certificate, _, err := a.issue([]string{serverName})
		require.NoError(t, err)
		return certificate
	}()
	for name, test := range map[string]struct {
		data map[string][]byte
		says string
	}{
		"a key that is none":            {map[string][]byte{"ca.crt": valid["ca.crt"], "ca.key": []byte("garbage")}, "ca.key has no valid private key"},
		"a bundle that is none":         {map[string][]byte{"ca.crt": []byte("garbage"), "ca.key": valid["ca.key"]}, "ca.crt has no valid certificate"},
		"a key without its CA":          {map[string][]byte{"ca.crt": otherCA(t)["ca.crt"], "ca.key": valid["ca.key"]}, "ca.crt has no CA certificate of the key in ca.key"},
		"a key without any CA":          {map[string][]byte{"ca.key": valid["ca.key"]}, "ca.crt has no CA certificate of the key in ca.key"},
		"a certificate that is no CA's": {map[string][]byte{"ca.crt": leaf, "ca.key": valid["ca.key"]}, "ca.crt has no CA certificate of the key in ca.key"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, apiService(v1beta3, service))
			r := c.replica(0)
			r.run(t.Context(), time.Minute)
			before, trusted := r.presents(t), c.bundle(v1beta3)
			c.put(test.data)
			r.clock.Step(year / 3)
			r.run(t.Context(), time.Minute)
			require.Contains(t, r.Message(), "Secret flowcontrol-system/flowcontrol-apiserver-serving: "+test.says)
			require.NoError(t, r.Check(nil), "the last certificate is served")
			require.True(t, before.Equal(r.presents(t)))
			require.Equal(t, test.data, c.secret().Data)
			require.Equal(t, trusted, c.bundle(v1beta3))

			later := c.replica(0)
			later.Look(t.Context())
			require.ErrorContains(t, later.Check(nil), test.says)

			c.put(valid)
			r.run(t.Context(), time.Minute)
			require.Empty(t, r.Message())
			require.NoError(t, c.trusts(r, valid["ca.crt"], start))
		})
	}
}

func TestAMissingPermissionIsSaidAndHarmsNothing(t *testing.T) {
	for _, test := range []struct{ forbidden, says string }{
		{"get secrets", "this server is not allowed to get the Secret flowcontrol-system/flowcontrol-apiserver-serving: "},
		{"update secrets", "this server is not allowed to update the Secret flowcontrol-system/flowcontrol-apiserver-serving: "},
		{"get apiservices", "this server is not allowed to get the APIService v1.flowcontrol.apiserver.k8s.io: "},
		{"update apiservices", "this server is not allowed to update the APIService v1beta3.flowcontrol.apiserver.k8s.io: "},
	} {
		t.Run(test.forbidden, func(t *testing.T) {
			c := newCluster(t, apiService(v1beta3, service))
			c.put(nil)
			r := c.replica(0)
			r.run(t.Context(), time.Minute)
			before, trusted := r.presents(t), c.bundle(v1beta3)
			c.forbid[test.forbidden] = true
			r.clock.Step(9*year + time.Hour)
			r.run(t.Context(), time.Minute)
			require.Contains(t, r.Message(), test.says)
			require.True(t, before.Equal(r.presents(t)), "the CA is replaced after all can trust the next one")
			require.NoError(t, c.trusts(r, trusted, r.clock.Now()))

			c.forbid = map[string]bool{}
			r.run(t.Context(), time.Minute)
			require.Empty(t, r.Message())
			require.False(t, before.Equal(r.presents(t)))
			require.NoError(t, c.trusts(r, c.bundle(v1beta3), r.clock.Now()))
		})
	}
}

// A deleted Secret needs a permission that artifacts/base does not grant.
func TestADeletedSecretThatMayNotBeCreatedIsSaid(t *testing.T) {
	c := newCluster(t)
	c.forbid["create secrets"] = true
	r := c.replica(0)
	r.Look(t.Context())
	require.ErrorContains(t, r.Check(nil), "this server is not allowed to create the Secret flowcontrol-system/flowcontrol-apiserver-serving: ")
}

func TestACAThatHasEndedIsReplacedAtOnce(t *testing.T) {
	c := newCluster(t, apiService(v1beta3, service))
	c.replica(0).Look(t.Context())
	r := c.replica(11 * year) // the cluster was off
	r.Look(t.Context())
	require.NoError(t, c.trusts(r, c.bundle(v1beta3), r.clock.Now()))
}

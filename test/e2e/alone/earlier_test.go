package alone

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubescheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	earlierLevel = `{"kind":"PriorityLevelConfiguration","apiVersion":"flowcontrol.apiserver.k8s.io/VERSION","metadata":{"name":"NAME","uid":"NAME-l","generation":1,
		"creationTimestamp":"2022-01-01T00:00:00Z"},"spec":{"type":"Limited","limited":{"assuredConcurrencyShares":7,"limitResponse":{"type":"Queue","queuing":{"queues":16}}}}}`
	earlierSchema = `{"kind":"FlowSchema","apiVersion":"flowcontrol.apiserver.k8s.io/VERSION","metadata":{"name":"NAME","uid":"NAME-s","generation":1,
		"creationTimestamp":"2022-01-01T00:00:00Z"},"spec":{"priorityLevelConfiguration":{"name":"NAME"},"matchingPrecedence":877,
		"rules":[{"subjects":[{"kind":"User","user":{"name":"NAME"}}],"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]}}`
)

// earlier is how an earlier kube-apiserver stored objects.
type earlier struct {
	version  string
	protobuf bool
}

func (e earlier) name() string {
	if e.protobuf {
		return e.version + "-protobuf"
	}
	return e.version + "-json"
}

func (e earlier) groupVersion() string { return flowcontrolv1.GroupName + "/" + e.version }

// put stores a level and a schema of the requests of a user. All have one name.
func (e earlier) put(t *testing.T, store *clientv3.Client) {
	t.Helper()
	for resource, text := range map[string]string{"prioritylevelconfigurations": earlierLevel, "flowschemas": earlierSchema} {
		value := []byte(strings.NewReplacer("NAME", e.name(), "VERSION", e.version).Replace(text))
		if e.protobuf {
			object, kind, err := kubescheme.Codecs.UniversalDeserializer().Decode(value, nil, nil)
			require.NoError(t, err)
			info, _ := runtime.SerializerInfoForMediaType(kubescheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
			value, err = runtime.Encode(kubescheme.Codecs.EncoderForVersion(info.Serializer, kind.GroupVersion()), object)
			require.NoError(t, err)
		}
		require.Contains(t, string(value), e.groupVersion())
		_, err := store.Put(t.Context(), "/registry/"+resource+"/"+e.name(), string(value))
		require.NoError(t, err)
	}
}

// TestObjectsThatEarlierReleasesStored has objects of v1beta1 in etcd initially, and objects of
// v1beta2 later. What kube-apiserver reads of them is compared in test/parity.
func TestObjectsThatEarlierReleasesStored(t *testing.T) {
	t.Parallel()
	etcd := startEtcd(t)
	store := etcd.Client(t)
	var all []earlier
	tokens := ""
	for _, version := range []string{"v1beta1", "v1beta2"} {
		for _, protobuf := range []bool{false, true} {
			e := earlier{version, protobuf}
			all = append(all, e)
			tokens += e.name() + "," + e.name() + ",1\n"
		}
	}
	atStart, later := all[:2], all[2:]
	for _, e := range atStart {
		e.put(t, store)
	}
	users := filepath.Join(t.TempDir(), "tokens.csv")
	require.NoError(t, os.WriteFile(users, []byte(tokens), 0o600))
	ours := startSite(t, etcd, "--etcd-prefix=/registry", "--token-auth-file="+users)
	for _, e := range later {
		e.put(t, store)
	}

	for _, e := range all {
		t.Run(e.name(), func(t *testing.T) {
			ours.requireEnforced(t, e.name())
			ours.requireRewritten(t, e)
		})
	}
	t.Run("nobody else sees these versions", func(t *testing.T) {
		for _, version := range []string{"v1beta1", "v1beta2"} {
			require.Equal(t, http.StatusNotFound, ours.do(t, http.MethodGet, groupPath+"/"+version+"/flowschemas", "").Code)
			body := strings.NewReplacer("NAME", "new", "VERSION", version).Replace(earlierLevel)
			require.Equal(t, http.StatusBadRequest, ours.do(t, http.MethodPost, v1Path+"/prioritylevelconfigurations", body).Code)
		}
		require.NotContains(t, ours.do(t, http.MethodGet, groupPath, "").Body, "v1beta1")
		require.NotContains(t, ours.do(t, http.MethodGet, "/openapi/v2", "").Body, "assuredConcurrencyShares")
	})
}

// requireEnforced requires that the schema governs the requests of its user.
func (s *site) requireEnforced(t *testing.T, user string) {
	t.Helper()
	eventually.Holds(t, "the requests of "+user+" are governed", func(a *eventually.Attempt) {
		answer, err := harness.Send(a.Context(), anonymousClient(), http.MethodGet, s.URL+"/version", "", "Authorization: Bearer "+user)
		require.NoError(a, err)
		require.Equal(a, user+"-s", answer.Header.Get(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID))
		require.Equal(a, user+"-l", answer.Header.Get(flowcontrolv1.ResponseHeaderMatchedPriorityLevelConfigurationUID))
	})
}

// requireRewritten writes the level without a change, and requires that it is stored as v1.
func (s *site) requireRewritten(t *testing.T, e earlier) {
	t.Helper()
	value := func() []byte {
		stored, err := s.Store(t).Get(t.Context(), "/registry/prioritylevelconfigurations/"+e.name())
		require.NoError(t, err)
		require.Len(t, stored.Kvs, 1)
		return stored.Kvs[0].Value
	}
	require.Contains(t, string(value()), e.groupVersion(), "it is not written yet")
	level, err := s.levels().Get(t.Context(), e.name(), metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, new(int32(7)), level.Spec.Limited.NominalConcurrencyShares)
	_, err = s.levels().Update(t.Context(), level, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(value(), []byte("k8s\x00")))
	require.NotContains(t, string(value()), e.groupVersion())
	require.Contains(t, string(value()), flowcontrolv1.SchemeGroupVersion.String())
}

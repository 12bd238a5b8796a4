package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/scheme"
)

const zeroKept = flowcontrolv1beta3.PriorityLevelPreserveZeroConcurrencySharesKey

func testVersions(c apiCase) {
	t, s := c.t, c.site
	v1, v1beta3 := s.client.FlowcontrolV1(), s.client.FlowcontrolV1beta3()

	s.createSchema(t, newSchema("versions", "catch-all"))
	schema := s.settled(t, "versions")
	old, err := v1beta3.FlowSchemas().Get(t.Context(), schema.Name, metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, schema.UID, old.UID)
	require.Equal(t, schema.ResourceVersion, old.ResourceVersion)
	require.JSONEq(t, toJSON(t, schema.Spec), toJSON(t, old.Spec))

	for name, shares := range map[string]int32{"none": 0, "some": 7} {
		level := newLevel("versions-"+name, shares)
		level.Annotations = map[string]string{"kept": "yes"}
		created := s.createLevel(t, level)
		old, err := v1beta3.PriorityLevelConfigurations().Get(t.Context(), created.Name, metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, shares, old.Spec.Limited.NominalConcurrencyShares)
		_, marked := old.Annotations[zeroKept]
		require.Equal(t, shares == 0, marked, "only zero shares need the annotation")

		written, err := v1beta3.PriorityLevelConfigurations().Update(t.Context(), old, metav1.UpdateOptions{})
		require.NoError(t, err)
		require.EqualValues(t, 1, written.Generation, "nothing changed on the way through v1beta3")
		back, err := v1.PriorityLevelConfigurations().Get(t.Context(), created.Name, metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, created.Spec, back.Spec)
		require.Equal(t, created.Annotations, back.Annotations)
	}

	// Each version has its own default for shares that are left out, and both are 30.
	bare := flowcontrolv1beta3.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "versions-bare"},
		Spec: flowcontrolv1beta3.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1beta3.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1beta3.LimitedPriorityLevelConfiguration{
				LimitResponse: flowcontrolv1beta3.LimitResponse{Type: flowcontrolv1beta3.LimitResponseTypeQueue, Queuing: &flowcontrolv1beta3.QueuingConfiguration{}},
			},
		},
	}
	_, err = v1beta3.PriorityLevelConfigurations().Create(t.Context(), &bare, metav1.CreateOptions{})
	require.NoError(t, err)
	level, err := v1.PriorityLevelConfigurations().Get(t.Context(), bare.Name, metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, &flowcontrolv1.LimitedPriorityLevelConfiguration{
		NominalConcurrencyShares: new(int32(30)),
		LendablePercent:          new(int32(0)),
		LimitResponse: flowcontrolv1.LimitResponse{
			Type:    flowcontrolv1.LimitResponseTypeQueue,
			Queuing: &flowcontrolv1.QueuingConfiguration{Queues: 64, HandSize: 8, QueueLengthLimit: 50},
		},
	}, level.Spec.Limited)
}

func testDeprecation(c apiCase) {
	t, s := c.t, c.site
	for kind, resource := range map[string]string{"FlowSchema": "flowschemas", "PriorityLevelConfiguration": "prioritylevelconfigurations"} {
		for query, code := range map[string]int{"/catch-all?marker=old": http.StatusOK, "?resourceVersionMatch=Exact": http.StatusBadRequest} {
			answer := s.do(t, http.MethodGet, v1beta3Path+"/"+resource+query, "")
			require.Equal(t, code, answer.code)
			require.Equal(t, []string{`299 - "flowcontrol.apiserver.k8s.io/v1beta3 ` + kind + ` is deprecated in v1.29+, unavailable in v1.32+; use flowcontrol.apiserver.k8s.io/v1 ` + kind + `"`}, answer.warnings())
			require.Equal(t, map[string]string{"k8s.io/deprecated": "true", "k8s.io/removed-release": "1.32"},
				deprecationAnnotations(auditEvent(t, c.auditLog, answer)))
		}

		current := s.do(t, http.MethodGet, v1Path+"/"+resource+"/catch-all", "")
		require.Empty(t, current.warnings())
		require.Empty(t, deprecationAnnotations(auditEvent(t, c.auditLog, current)))

		metrics := s.do(t, http.MethodGet, "/metrics", "").body
		require.Regexp(t, `(?m)^apiserver_requested_deprecated_apis\{group="flowcontrol.apiserver.k8s.io",removed_release="1.32",resource="`+resource+`",subresource="",version="v1beta3"\} 1$`, metrics)
		require.NotRegexp(t, `apiserver_requested_deprecated_apis\{[^}]*version="v1"`, metrics)
		require.Regexp(t, `(?m)^apiserver_request_total\{code="400",.*resource="`+resource+`",.*verb="LIST",version="v1beta3"\} 1$`, metrics)
	}
}

type event struct {
	AuditID, RequestURI string
	Annotations         map[string]string
}

// auditEvent finds the event of a request; it is written after the response.
func auditEvent(t *testing.T, path string, answer reply) event {
	t.Helper()
	id := answer.header.Get("Audit-Id")
	require.NotEmpty(t, id)
	var found event
	eventually(t, "the audit log holds "+id, func(context.Context) (bool, error) {
		content, err := os.ReadFile(path)
		if err != nil {
			return false, err
		}
		for line := range bytes.Lines(content) {
			if bytes.Contains(line, []byte(id)) && bytes.HasSuffix(line, []byte("\n")) {
				return true, json.Unmarshal(line, &found)
			}
		}
		return false, nil
	})
	require.Equal(t, id, found.AuditID)
	return found
}

func deprecationAnnotations(e event) map[string]string {
	found := map[string]string{}
	for key, value := range e.Annotations {
		if strings.HasPrefix(key, "k8s.io/") {
			found[key] = value
		}
	}
	return found
}

func testStoredBytes(c apiCase) {
	t, s := c.t, c.site
	schema := s.createSchema(t, newSchema("stored", "catch-all"))
	level := s.createLevel(t, newLevel("stored", 3))
	requireStored(t, s, storePrefix, schema, level)
}

// requireStored reads both objects from etcd itself.
func requireStored(t *testing.T, s *site, prefix string, schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
	t.Helper()
	for key, object := range map[string]interface {
		runtime.Object
		metav1.Object
	}{
		prefix + "/flowschemas/" + schema.Name:                schema,
		prefix + "/prioritylevelconfigurations/" + level.Name: level,
	} {
		response, err := s.store(t).Get(t.Context(), key)
		require.NoError(t, err)
		require.Len(t, response.Kvs, 1, key)
		value := response.Kvs[0].Value
		require.True(t, bytes.HasPrefix(value, []byte("k8s\x00")), "%s is not protobuf: %q", key, value)
		stored, kind, err := scheme.Codecs.UniversalDeserializer().Decode(value, nil, nil)
		require.NoError(t, err)
		require.Equal(t, flowcontrolv1.SchemeGroupVersion, kind.GroupVersion())
		require.Equal(t, object.GetUID(), stored.(metav1.Object).GetUID())
		require.Empty(t, stored.(metav1.Object).GetResourceVersion(), "the version is etcd's to say")
	}
}

// TestOtherEtcdPrefix looks for the objects where --etcd-prefix puts them.
func TestOtherEtcdPrefix(t *testing.T) {
	t.Parallel()
	etcd := startEtcd(t)
	s := startSite(t, etcd, "--etcd-prefix=/elsewhere/flow")
	requireStored(t, s, "/elsewhere/flow",
		s.createSchema(t, newSchema("stored", "catch-all")), s.createLevel(t, newLevel("stored", 3)))
	response, err := s.store(t).Get(t.Context(), "/elsewhere/flow/", prefixCount()...)
	require.NoError(t, err)
	all, err := s.store(t).Get(t.Context(), "/", prefixCount()...)
	require.NoError(t, err)
	require.Equal(t, all.Count, response.Count, "something is stored outside the prefix")
}

// TestV1beta3SwitchedOff serves v1 alone.
func TestV1beta3SwitchedOff(t *testing.T) {
	t.Parallel()
	s := startSite(t, nil, "--runtime-config=flowcontrol.apiserver.k8s.io/v1beta3=false")
	require.Equal(t, http.StatusNotFound, s.do(t, http.MethodGet, v1beta3Path+"/flowschemas", "").code)
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, v1Path+"/flowschemas", "").code)
	require.NotContains(t, s.do(t, http.MethodGet, groupPath, "").body, "v1beta3")
}

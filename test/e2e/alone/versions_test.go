package alone

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// The warnings are compared in package api.
func testDeprecation(t *testing.T, s *live) {
	for _, resource := range []string{"flowschemas", "prioritylevelconfigurations"} {
		for query, code := range map[string]int{"/catch-all?marker=old": http.StatusOK, "?resourceVersionMatch=Exact": http.StatusUnprocessableEntity} {
			answer := s.do(t, http.MethodGet, v1beta3Path+"/"+resource+query, "")
			require.Equal(t, code, answer.Code)
			require.Equal(t, map[string]string{"k8s.io/deprecated": "true", "k8s.io/removed-release": "1.32"},
				deprecationAnnotations(auditEvent(t, s.auditLog, answer)))
		}

		current := s.do(t, http.MethodGet, v1Path+"/"+resource+"/catch-all", "")
		require.Empty(t, deprecationAnnotations(auditEvent(t, s.auditLog, current)))

		metrics := s.do(t, http.MethodGet, "/metrics", "").Body
		require.Regexp(t, `(?m)^apiserver_requested_deprecated_apis\{group="flowcontrol.apiserver.k8s.io",removed_release="1.32",resource="`+resource+`",subresource="",version="v1beta3"\} 1$`, metrics)
		require.NotRegexp(t, `apiserver_requested_deprecated_apis\{[^}]*version="v1"`, metrics)
		require.Regexp(t, `(?m)^apiserver_request_total\{code="422",.*resource="`+resource+`",.*verb="LIST",version="v1beta3"\} 1$`, metrics)
	}
}

type event struct {
	AuditID, RequestURI string
	Annotations         map[string]string
}

// auditEvent returns the audit event of a request. The event is written after the
// response.
func auditEvent(t *testing.T, path string, answer harness.Reply) event {
	t.Helper()
	id := answer.Header.Get("Audit-Id")
	require.NotEmpty(t, id)
	var found event
	eventually.Holds(t, "the audit log holds "+id, func(a *eventually.Attempt) {
		content, err := os.ReadFile(path)
		require.NoError(a, err)
		for line := range bytes.Lines(content) {
			if bytes.Contains(line, []byte(id)) && bytes.HasSuffix(line, []byte("\n")) {
				require.NoError(a, json.Unmarshal(line, &found))
				return
			}
		}
		require.Fail(a, "no such event")
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

// What is stored is compared with what kube-apiserver stores in package api.
func testStoredBytes(t *testing.T, s *live) {
	s.removeAfter(t, "stored")
	s.createSchema(t, objects.SchemaOf("stored", "catch-all"))
	s.createLevel(t, objects.LevelOf("stored", 3))
	all, err := s.Store(t).Get(t.Context(), "/", clientv3.WithPrefix())
	require.NoError(t, err)
	values := map[string]string{}
	for _, pair := range all.Kvs {
		require.True(t, bytes.HasPrefix(pair.Key, []byte(storePrefix+"/")), "%s is stored outside the prefix", pair.Key)
		values[string(pair.Key)] = string(pair.Value)
	}
	for _, key := range []string{storePrefix + "/flowschemas/stored", storePrefix + "/prioritylevelconfigurations/stored"} {
		require.Regexp(t, "^k8s\x00", values[key], "%s is not protobuf", key)
		require.Contains(t, values[key], flowcontrolv1.SchemeGroupVersion.String()+"\x12", "the version, and the field of the kind")
	}
}

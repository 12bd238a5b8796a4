package longrunning_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/util/sets"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/filters"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/longrunning"
)

// The peer is the library's check, with the verbs and subresources that kube-apiserver gives it
// (k8s.io/kubernetes/pkg/controlplane/apiserver), but for watches.
func TestLongRunningRequestsAreThoseOfKubeAPIServer(t *testing.T) {
	peer := filters.BasicLongRunningRequestCheck(sets.NewString("proxy"), sets.NewString("attach", "exec", "proxy", "log", "portforward"))
	some, both := false, false
	for _, verb := range []string{"get", "create", "watch", "proxy"} {
		for _, subresource := range []string{"", "attach", "exec", "proxy", "log", "portforward", "status", "logs"} {
			for _, path := range []string{"", "/debug/pprof", "/debug/pprof/", "/debug/pprof/heap", "/debug/pprofx", "/metrics"} {
				a := flow.Attributes{Verb: verb, IsResourceRequest: path == "", Subresource: subresource, Path: path}
				want := peer(nil, &apirequest.RequestInfo{Verb: verb, IsResourceRequest: path == "", Subresource: subresource, Path: path})
				assert.Equal(t, want, longrunning.Is(&a), "%+v", a)
				some, both = some || want, both || some && !want
			}
		}
	}
	assert.True(t, some && both)
	for url, want := range map[string]bool{"/debug/pprof/*": true, "/debug/pprof/heap": true, "/debug/pprof": false, "/debug/*": false, "*": false, "/metrics": false} {
		assert.Equal(t, want, longrunning.IsURLOfProfiles(url), url)
	}
}

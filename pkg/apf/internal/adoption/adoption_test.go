package adoption

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	restclient "k8s.io/client-go/rest"
	"k8s.io/component-base/compatibility"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/exposition"
)

// adopter starts a server of the library that adopts flow control as in the
// package comment. One of its ten seats is for everybody. /held sends to held
// and responds when release is closed.
func adopter(t *testing.T, held chan<- struct{}, release <-chan struct{}) *httptest.Server {
	t.Helper()
	schemaOfAll := bootstrap.MandatoryFlowSchemaCatchAll.DeepCopy()
	schemaOfAll.UID = "uid-of-catch-all"
	others := bootstrap.MandatoryPriorityLevelConfigurationCatchAll.DeepCopy()
	others.Name, others.Spec.Limited.NominalConcurrencyShares = "others", new(int32(45))
	client := fake.NewClientset(schemaOfAll, others)
	factory := informers.NewSharedInformerFactory(client, 0)

	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	config := genericapiserver.NewRecommendedConfig(serializer.NewCodecFactory(scheme))
	config.EffectiveVersion = compatibility.NewEffectiveVersionFromString("1.33", "", "")
	config.ExternalAddress = "127.0.0.1:443"
	config.LoopbackClientConfig = &restclient.Config{}
	config.SharedInformerFactory = factory
	config.Authentication.Authenticator = anonymous.NewAuthenticator(nil)
	config.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	flowControl, err := apf.New(apf.ConfigFor(factory, client.FlowcontrolV1(), 10))
	require.NoError(t, err)
	config.FlowControl = flowControl
	server, err := config.Complete().New("adopter", genericapiserver.NewEmptyDelegate())
	require.NoError(t, err)

	flowControl.InstallMetrics(server.Handler.NonGoRestfulMux)
	server.Handler.NonGoRestfulMux.HandleFunc("/held", func(http.ResponseWriter, *http.Request) {
		held <- struct{}{}
		<-release
	})

	ctx, cancel := context.WithCancel(context.Background())
	server.PrepareRun().RunPostStartHooks(ctx)
	listener := httptest.NewServer(server.Handler)
	t.Cleanup(func() {
		listener.Close()
		cancel()
		factory.Shutdown()
	})
	<-flowControl.Applied()
	return listener
}

// answer is a response with its body.
type answer struct {
	status int
	header http.Header
	body   string
}

func ask(t *testing.T, server *httptest.Server, method, path string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
	require.NoError(t, err)
	response, err := server.Client().Do(request)
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, errors.Join(err, response.Body.Close()))
	return answer{response.StatusCode, response.Header, string(body)}
}

func TestAServerOfTheLibraryAdoptsFlowControlByOneLine(t *testing.T) {
	held, release := make(chan struct{}), make(chan struct{})
	server := adopter(t, held, release)

	done := make(chan struct{})
	go func() {
		defer close(done)
		response, err := server.Client().Get(server.URL + "/held")
		if assert.NoError(t, err) {
			assert.NoError(t, response.Body.Close())
			assert.Equal(t, http.StatusOK, response.StatusCode)
		}
	}()
	<-held
	rejected := ask(t, server, http.MethodGet, "/healthz")
	close(release)
	<-done
	assert.Equal(t, http.StatusTooManyRequests, rejected.status)
	assert.NotEmpty(t, rejected.header.Get("Retry-After"))
	assert.Equal(t, "uid-of-catch-all", rejected.header.Get("X-Kubernetes-PF-FlowSchema-UID"))

	ask(t, server, http.MethodDelete, "/api/v1/namespaces/default/pods/nobody-watches")
	levels := ask(t, server, http.MethodGet, "/debug/api_priority_and_fairness/dump_priority_levels")
	assert.Contains(t, levels.body, "catch-all")

	scraped := ask(t, server, http.MethodGet, "/metrics")
	families, err := exposition.Parse(strings.NewReader(scraped.body))
	require.NoError(t, err)
	const prefix = "apiserver_flowcontrol_"
	assert.Equal(t, 1.0, total(families[prefix+"rejected_requests_total"]))
	assert.Equal(t, 1.0, total(families[prefix+"watch_count_samples"]), "the delete")
	reading := member(families[prefix+"read_vs_write_current_requests"], "executing", "readOnly")
	require.NotNil(t, reading, "the library's filter counts these")
	assert.Equal(t, reading.GetSampleCount(), upTo(reading, 0.1), "one request of ten that may execute")
	assert.NotEqual(t, reading.GetSampleCount(), upTo(reading, 0.01))
}

// member returns the histogram whose labels have the given values.
func member(family *dto.MetricFamily, values ...string) *dto.Histogram {
	for _, metric := range family.GetMetric() {
		if !slices.ContainsFunc(metric.GetLabel(), func(pair *dto.LabelPair) bool { return !slices.Contains(values, pair.GetValue()) }) {
			return metric.GetHistogram()
		}
	}
	return nil
}

// upTo returns a histogram's count in the buckets up to a bound.
func upTo(histogram *dto.Histogram, bound float64) uint64 {
	for _, bucket := range histogram.GetBucket() {
		if bucket.GetUpperBound() == bound {
			return bucket.GetCumulativeCount()
		}
	}
	return 0
}

// total returns the sum of a family's counters and of its histograms' counts.
func total(family *dto.MetricFamily) (sum float64) {
	for _, metric := range family.GetMetric() {
		sum += metric.GetCounter().GetValue() + float64(metric.GetHistogram().GetSampleCount())
	}
	return sum
}

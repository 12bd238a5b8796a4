package filter

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/server/filters"
	libraryflowcontrol "k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

func codecs() serializer.CodecFactory {
	s := runtime.NewScheme()
	metav1.AddToGroupVersion(s, schema.GroupVersion{Version: "v1"})
	return serializer.NewCodecFactory(s)
}

// explaining returns a site that rejects every request and explains it to a user.
func explaining(t *testing.T, told string) *site {
	t.Helper()
	s := newSite(t, queueset.Reject, 0)
	s.options.Explain = func(_ context.Context, u user.Info) bool { return u.GetName() == told }
	s.options.Serializer = codecs()
	return s
}

func TestRejectionIsExplainedToThoseWhoMayKnow(t *testing.T) {
	s := explaining(t, nobody)
	for _, accept := range []string{"", "application/json", "*/*", "text/html", "application/json;as=Table;v=v1;g=meta.k8s.io"} {
		t.Run(accept, func(t *testing.T) {
			r := requestBy(nobody, "list", "")
			r.Header.Set("Accept", accept)
			w := s.ask(s.before(func(http.ResponseWriter, *http.Request) { t.Error("served") }), r)
			require.Equal(t, http.StatusTooManyRequests, w.Code)
			assert.Empty(t, w.Header().Get("X-Content-Type-Options"), "the library sets it with its text")
			var status metav1.Status
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &status), w.Body.String())
			assert.Equal(t, metav1.StatusReasonTooManyRequests, status.Reason)
			said := strings.TrimSpace(libraryRejection(s, requestBy(nobody, "list", "")).Body.String())
			assert.Equal(t, said+` Priority level "tested" rejected a request of flow schema "everybody": concurrency-limit.`, status.Message)
			assert.Equal(t, []metav1.StatusCause{
				{Type: "FlowSchema", Message: "everybody"}, {Type: "PriorityLevel", Message: "tested"}, {Type: "RejectionReason", Message: "concurrency-limit"},
			}, status.Details.Causes)
			seconds, err := strconv.Atoi(w.Header().Get("Retry-After"))
			require.NoError(t, err)
			assert.EqualValues(t, seconds, status.Details.RetryAfterSeconds)
			assert.Positive(t, seconds)
		})
	}
}

// rejecting is a flow control of the library that rejects all requests.
type rejecting struct{ libraryflowcontrol.Interface }

func (rejecting) Handle(_ context.Context, _ libraryflowcontrol.RequestDigest, note func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string), _ func() fcrequest.WorkEstimate, _ fairqueuing.QueueNoteFn, _ func()) {
	note(&flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{UID: schemaUID}}, &flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{UID: levelUID}}, "")
}

// libraryRejection returns the response of the library's filter to a request that it rejects.
func libraryRejection(s *site, r *http.Request) *httptest.ResponseRecorder {
	handler := filters.WithPriorityAndFairness(http.NotFoundHandler(), s.options.LongRunning, rejecting{}, nil, time.Minute)
	return s.ask(handler, r)
}

func TestOthersAreToldNothing(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"a user who may not know": func(o *Options) { o.Explain = func(context.Context, user.Info) bool { return false } },
		"nobody may know":         func(o *Options) { o.Explain = nil },
		"no serializer":           func(o *Options) { o.Serializer = nil },
	} {
		t.Run(name, func(t *testing.T) {
			s := explaining(t, nobody)
			change(&s.options)
			w := s.ask(s.before(func(http.ResponseWriter, *http.Request) { t.Error("served") }), requestBy(nobody, "list", ""))
			want := libraryRejection(s, requestBy(nobody, "list", ""))
			assert.Equal(t, want.Code, w.Code)
			assert.Equal(t, want.Body.String(), w.Body.String())
			assert.NotEmpty(t, w.Header().Get("Retry-After"))
			want.Header().Set("Retry-After", w.Header().Get("Retry-After")) // random here
			assert.Equal(t, want.Header(), w.Header())
		})
	}
}

// waits records how long a client waits between attempts, and does not wait.
type waits struct {
	rest.NoBackoff
	seconds []float64
}

func (w *waits) SleepWithContext(_ context.Context, d time.Duration) {
	w.seconds = append(w.seconds, d.Seconds())
}

func TestClientTreatsAnExplainedRejectionAsItTreatsAnyOther(t *testing.T) {
	s := explaining(t, nobody)
	requests := 0
	rejecting := s.before(func(http.ResponseWriter, *http.Request) {})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		rejecting.ServeHTTP(w, r.WithContext(requestBy(nobody, "list", "").Context()))
	}))
	defer server.Close()
	client, err := rest.RESTClientFor(&rest.Config{
		Host:          server.URL,
		ContentConfig: rest.ContentConfig{GroupVersion: &schema.GroupVersion{Version: "v1"}, NegotiatedSerializer: scheme.Codecs.WithoutConversion()},
	})
	require.NoError(t, err)
	waited := &waits{}
	err = client.Get().AbsPath("/api/v1/configmaps").MaxRetries(1).BackOffWithContext(waited).Do(t.Context()).Error()
	require.True(t, apierrors.IsTooManyRequests(err), "%v", err)
	assert.Equal(t, 2, requests, "it was repeated")
	assert.Positive(t, slices.Max(waited.seconds), "after the time of Retry-After")
	seconds, delayed := apierrors.SuggestsClientDelay(err)
	assert.True(t, delayed)
	assert.Positive(t, seconds)
	cause, found := apierrors.StatusCause(err, PriorityLevelCause)
	assert.True(t, found)
	assert.Equal(t, "tested", cause.Message)
}

func TestRetryAfterIsRoundedSoThatItIsRightOnAverage(t *testing.T) {
	seen := map[int]int{}
	for range 10_000 {
		seen[seconds(7*time.Second+250*time.Millisecond)]++
	}
	assert.Len(t, seen, 2)
	assert.InDelta(t, 7500, seen[7], 500)
	assert.Equal(t, 1, seconds(0), "HTTP has whole seconds")
}

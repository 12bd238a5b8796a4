package readiness

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/server/healthz"
)

// ask asks a server of four checks, two of which fail, that has these remarks.
func ask(t *testing.T, path string, remarks ...Remark) *httptest.ResponseRecorder {
	t.Helper()
	fails := func(*http.Request) error { return errors.New("secret") }
	passes := func(*http.Request) error { return nil }
	mux := http.NewServeMux()
	healthz.InstallReadyzHandler(mux, healthz.NamedCheck("store", fails), healthz.NamedCheck("other", fails),
		healthz.NamedCheck("clock", passes), healthz.NamedCheck("quiet", passes))
	recorder := httptest.NewRecorder()
	Explain(mux, remarks).ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return recorder
}

func TestRemarksAreMadeInThePlaceOfWhatIsWithheld(t *testing.T) {
	says := func(text string) func() string { return func() string { return text } }
	answer := ask(t, "/readyz?verbose",
		Failing("store", "see that it runs"),
		Failing("quiet", "is only said when it fails"),
		Remark{Check: "other", Text: says("")},
		Remark{Check: "clock", Text: says("it is an hour behind"), Passing: true},
	)
	require.Equal(t, http.StatusInternalServerError, answer.Code)
	require.Equal(t, `[-]store failed: see that it runs
[-]other failed: reason withheld
[+]clock ok, but: it is an hour behind
[+]quiet ok
readyz check failed
`, answer.Body.String())
}

func TestOneCheckByItselfSaysWhatItAlwaysDoes(t *testing.T) {
	remark := Failing("store", "see that it runs")
	require.Equal(t, ask(t, "/readyz/store").Body.String(), ask(t, "/readyz/store", remark).Body.String())
	require.Equal(t, http.StatusOK, ask(t, "/readyz/clock", remark).Code)
}

func TestRemarksDoNotChangeWhetherTheServerIsReady(t *testing.T) {
	remark := Failing("store", "see that it runs")
	answer := ask(t, "/readyz?exclude=store&exclude=other", remark)
	require.Equal(t, http.StatusOK, answer.Code)
	require.Equal(t, "ok", answer.Body.String())
}

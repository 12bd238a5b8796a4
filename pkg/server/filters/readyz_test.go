package filters

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/server/healthz"
)

// ask requests a path from a server with these messages and four checks; two fail.
func ask(t *testing.T, path string, messages ...CheckMessage) *httptest.ResponseRecorder {
	t.Helper()
	fails := func(*http.Request) error { return errors.New("secret") }
	passes := func(*http.Request) error { return nil }
	mux := http.NewServeMux()
	healthz.InstallReadyzHandler(mux, healthz.NamedCheck("store", fails), healthz.NamedCheck("other", fails),
		healthz.NamedCheck("clock", passes), healthz.NamedCheck("quiet", passes))
	recorder := httptest.NewRecorder()
	WithCheckMessages(mux, messages).ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return recorder
}

func TestMessagesReplaceTheReasonWithheld(t *testing.T) {
	says := func(text string) func() string { return func() string { return text } }
	answer := ask(t, "/readyz?verbose",
		FailureMessage("store", "see that it runs"),
		FailureMessage("quiet", "is only said when it fails"),
		CheckMessage{Check: "other", Message: says("")},
		CheckMessage{Check: "clock", Message: says("it is an hour behind"), WhilePassing: true},
	)
	require.Equal(t, http.StatusInternalServerError, answer.Code)
	require.Equal(t, `[-]store failed: see that it runs
[-]other failed: reason withheld
[+]clock ok, but: it is an hour behind
[+]quiet ok
readyz check failed
`, answer.Body.String())
}

func TestMessagesLeaveASingleCheckAlone(t *testing.T) {
	message := FailureMessage("store", "see that it runs")
	require.Equal(t, ask(t, "/readyz/store").Body.String(), ask(t, "/readyz/store", message).Body.String())
	require.Equal(t, http.StatusOK, ask(t, "/readyz/clock", message).Code)
}

func TestMessagesDoNotChangeWhetherTheServerIsReady(t *testing.T) {
	message := FailureMessage("store", "see that it runs")
	answer := ask(t, "/readyz?exclude=store&exclude=other", message)
	require.Equal(t, http.StatusOK, answer.Code)
	require.Equal(t, "ok", answer.Body.String())
}

package filters

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestARequestWhoseClientHasLeftDoesNotBegin(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	late, free := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer free()
	for _, test := range []struct {
		name   string
		major  int
		ctx    context.Context
		begins bool
	}{
		{"an HTTP/2 stream that was reset", 2, canceled, false},
		{"a client that waits", 2, t.Context(), true},
		{"over HTTP/1.1, a client that closed its side may read", 1, canceled, true},
		{"the library answers 504", 2, late, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			begun := false
			handler := WithPresentClients(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { begun = true }))
			request := httptest.NewRequestWithContext(test.ctx, http.MethodGet, "/", nil)
			request.ProtoMajor = test.major
			ask := func() { handler.ServeHTTP(httptest.NewRecorder(), request) }
			if test.begins {
				ask()
			} else {
				require.PanicsWithValue(t, http.ErrAbortHandler, ask)
			}
			require.Equal(t, test.begins, begun)
		})
	}
}

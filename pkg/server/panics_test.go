package server

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/handlers/finisher"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// addPanics adds handlers that panic, at paths that all users may read.
func addPanics(paths *mux.PathRecorderMux) {
	panics := func(path string, handle func(w http.ResponseWriter, r *http.Request)) {
		paths.HandleFunc("/openapi/panics/"+path, handle)
	}
	panics("handler", func(http.ResponseWriter, *http.Request) { panic("in a handler") })
	panics("strategy", func(_ http.ResponseWriter, r *http.Request) {
		// Strategies, validation, storage and admission, with its webhooks, run in here.
		_, _ = finisher.FinishRequest(r.Context(), func() (runtime.Object, error) { panic("in a strategy") })
	})
	panics("answer", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write([]byte("half an ans"))
		panic("while the answer is written")
	})
	panics("nil", func(http.ResponseWriter, *http.Request) {
		var nothing *Server
		nothing.kubeconfig = "" // a fault of memory, which the runtime makes a panic
	})
	panics("abort", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
}

func TestAPanicEndsOneRequestAndGivesItsSeatBack(t *testing.T) {
	s := startClocked(t, nil)
	addPanics(s.apiserver.Handler.NonGoRestfulMux)
	config := s.LoopbackClientConfig()
	config.Impersonate = rest.ImpersonationConfig{UserName: "alice"} // whose requests are not exempt
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	get := func(path string) (int, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, config.Host+path, http.NoBody)
		require.NoError(t, err)
		answer, err := client.Do(request)
		if err != nil {
			return 0, err
		}
		return answer.StatusCode, answer.Body.Close()
	}
	for _, path := range []string{"handler", "strategy", "answer", "nil", "abort"} {
		t.Run(path, func(t *testing.T) {
			for range 20 {
				code, err := get("/openapi/panics/" + path)
				if err == nil && path != "answer" {
					require.Equal(t, http.StatusInternalServerError, code)
				}
			}
			code, err := get("/openapi/v2")
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, code)
			eventually.Holds(t, "all seats are given back", func(a *eventually.Attempt) {
				for _, level := range s.flowControl.Engine().Report().Levels {
					if level.Config.Name == "global-default" {
						require.Positive(a, level.Figures.Totals.Dispatched, "it governs the requests")
					}
					require.Zero(a, level.Figures.SeatsInUse, level.Config.Name)
				}
			})
		})
	}
}

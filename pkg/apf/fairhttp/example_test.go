package fairhttp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/fairhttp"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/limiter"
)

// Each user is a flow, and each organization a tenant. An export takes five seats.
func Example() {
	l, err := limiter.New(limiter.Config{Seats: 20, MaxWaiting: 1000, MaxWaitingPerFlow: 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	classify := func(r *http.Request) (limiter.Flow, int) {
		user, organization := r.Header.Get("X-Remote-User"), r.Header.Get("X-Remote-Group") // set by a proxy that authenticates
		seats := 1
		if r.URL.Path == "/export" {
			seats = 5
		}
		return limiter.Flow{Tenant: organization, Name: user}, seats
	}
	handler := fairhttp.Handler(l, classify, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, inUse := l.Usage()
		fmt.Fprintln(w, inUse, "seats in use")
	}))
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/export", nil))
	fmt.Print(response.Body)
	// Output: 5 seats in use
}

package dashboard

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/top"
)

// State is what the page shows.
type State struct {
	Name            string  `json:"name"`
	IntervalSeconds float64 `json:"intervalSeconds"`
	WindowSeconds   float64 `json:"windowSeconds"`
	// Error says why the last sample failed: the figures are from the one before.
	Error    string     `json:"error,omitempty"`
	Readings []Reading  `json:"readings"`
	Levels   top.Levels `json:"levels"`
	Flows    top.Flows  `json:"flows"`
}

// State returns the state with the readings after the given number.
func (d *Dashboard) State(after int) State {
	d.mu.Lock()
	defer d.mu.Unlock()
	state := d.latest
	state.Readings = d.history.after(after)
	return state
}

// Handler serves the page below /TOKEN/.
func (d *Dashboard) Handler(token string) http.Handler {
	page, policy := document()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /"+token+"/{$}", func(w http.ResponseWriter, _ *http.Request) {
		secure(w.Header(), "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", policy)
		_, _ = w.Write(page) // the reader has left
	})
	mux.HandleFunc("GET /"+token+"/state", func(w http.ResponseWriter, r *http.Request) {
		after, err := number(r.URL.Query().Get("after"))
		if err != nil {
			http.Error(w, "after must be the number of a reading: "+err.Error(), http.StatusBadRequest)
			return
		}
		secure(w.Header(), "application/json")
		_ = json.NewEncoder(w).Encode(d.State(after)) // the reader has left
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "Not found. The page is at the address that kubectl apf top --web printed.", http.StatusNotFound)
	})
	return mux
}

// number parses the number of a reading; "" is 0.
func number(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	return strconv.Atoi(text)
}

// secure keeps what is served out of caches, frames, and the logs of other servers.
func secure(header http.Header, contentType string) {
	header.Set("Content-Type", contentType)
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
}

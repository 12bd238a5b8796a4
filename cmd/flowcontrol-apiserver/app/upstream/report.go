package upstream

import (
	"bytes"
	"net/http"
)

// report keeps what a health endpoint writes, a few lines, until it is explained.
type report struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

var _ http.ResponseWriter = &report{}

// WriteHeader implements http.ResponseWriter.
func (r *report) WriteHeader(status int) { r.status = status }

// Write implements http.ResponseWriter.
func (r *report) Write(content []byte) (int, error) { return r.body.Write(content) }

// send adds what is missing to the lines of the checks, and passes all on.
func (r *report) send(checks []*Check) {
	body := r.body.Bytes()
	for _, check := range checks {
		trouble := check.Trouble()
		if trouble == nil {
			continue
		}
		name := check.Name()
		body = bytes.Replace(body, []byte("[-]"+name+" failed: reason withheld\n"), []byte("[-]"+name+" failed: "+trouble.Text+"\n"), 1)
		body = bytes.Replace(body, []byte("[+]"+name+" ok\n"), []byte("[+]"+name+" ok, but: "+trouble.Text+"\n"), 1)
	}
	r.Header().Del("Content-Length")
	r.ResponseWriter.WriteHeader(r.status)
	_, _ = r.ResponseWriter.Write(body) // the client may have left
}

package readiness

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

// send adds the remarks to the lines of the checks, and passes all on.
func (r *report) send(remarks []Remark) {
	body := r.body.Bytes()
	for _, remark := range remarks {
		text := remark.Text()
		if text == "" {
			continue
		}
		body = bytes.Replace(body, []byte("[-]"+remark.Check+" failed: reason withheld\n"), []byte("[-]"+remark.Check+" failed: "+text+"\n"), 1)
		if remark.Passing {
			body = bytes.Replace(body, []byte("[+]"+remark.Check+" ok\n"), []byte("[+]"+remark.Check+" ok, but: "+text+"\n"), 1)
		}
	}
	r.Header().Del("Content-Length")
	r.ResponseWriter.WriteHeader(r.status)
	_, _ = r.ResponseWriter.Write(body) // the client may have left
}

// Package described holds answers of servers to the OpenAPI documents that they publish.
package described

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
)

// Judge makes clients of the configuration keep the JSON answers that they get. At the end of the test each
// must be as the documents describe it that the server published at either end of the test.
func Judge(t *testing.T, config *rest.Config) {
	t.Helper()
	reader := rest.CopyConfig(config)
	published := schemas{}
	published.read(t, reader)
	var kept answers
	config.Wrap(kept.wrap)
	t.Cleanup(func() {
		published.read(t, reader)
		kept.judge(t, published)
	})
}

// answers are what clients got so far.
type answers struct {
	mutex sync.Mutex
	all   []*answer // guarded by mutex
}

// answer is the body of a response, as far as its client reads it.
type answer struct {
	io.ReadCloser
	request string
	zipped  bool
	answers *answers
	read    bytes.Buffer // guarded by the mutex of answers
}

func (a *answer) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	a.answers.mutex.Lock()
	defer a.answers.mutex.Unlock()
	a.read.Write(p[:n])
	return n, err
}

// content returns what was read, uncompressed.
func (a *answer) content() io.Reader {
	if a.zipped {
		if plain, err := gzip.NewReader(&a.read); err == nil {
			return plain
		}
	}
	return &a.read
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

func (a *answers) wrap(base http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		response, err := base.RoundTrip(request)
		if err == nil && strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
			kept := &answer{
				ReadCloser: response.Body, request: request.Method + " " + request.URL.String(),
				zipped: response.Header.Get("Content-Encoding") == "gzip", answers: a,
			}
			response.Body = kept
			a.mutex.Lock()
			defer a.mutex.Unlock()
			a.all = append(a.all, kept)
		}
		return response, err
	})
}

func (a *answers) judge(t *testing.T, published schemas) {
	t.Helper()
	a.mutex.Lock()
	defer a.mutex.Unlock()
	judged := 0
	for _, kept := range a.all {
		number, err := published.judge(kept.content())
		judged += number
		if err != nil {
			t.Errorf("%s: %v", kept.request, err)
		}
	}
	t.Logf("OpenAPI describes %d objects of %d answers", judged, len(a.all))
}

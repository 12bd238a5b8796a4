package filters

import (
	"bytes"
	"net/http"
)

// CheckMessage is what a check of /readyz says to everyone. The library withholds
// the reason of a failure, since it may hold names and addresses and anyone may ask
// for health; a message is written for anyone to read.
type CheckMessage struct {
	// Check is the name of the check.
	Check string
	// Message returns what the check says now, empty for nothing.
	Message func() string
	// WhilePassing shows the message of a check that passes, too.
	WhilePassing bool
}

// FailureMessage is the message of a check that says the same whenever it fails.
func FailureMessage(check, message string) CheckMessage {
	return CheckMessage{Check: check, Message: func() string { return message }}
}

// WithCheckMessages adds the messages to the lines of the checks on /readyz.
func WithCheckMessages(handler http.Handler, messages []CheckMessage) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			handler.ServeHTTP(w, r)
			return
		}
		answer := &bufferedAnswer{ResponseWriter: w, status: http.StatusOK}
		handler.ServeHTTP(answer, r)
		w.Header().Del("Content-Length")
		w.WriteHeader(answer.status)
		_, _ = w.Write(withMessages(answer.body.Bytes(), messages)) // the client may have left
	})
}

// withMessages puts each message into the line that the library wrote for its check.
func withMessages(lines []byte, messages []CheckMessage) []byte {
	for _, m := range messages {
		text := m.Message()
		if text == "" {
			continue
		}
		lines = bytes.Replace(lines, []byte("[-]"+m.Check+" failed: reason withheld\n"), []byte("[-]"+m.Check+" failed: "+text+"\n"), 1)
		if m.WhilePassing {
			lines = bytes.Replace(lines, []byte("[+]"+m.Check+" ok\n"), []byte("[+]"+m.Check+" ok, but: "+text+"\n"), 1)
		}
	}
	return lines
}

// bufferedAnswer keeps the answer of a health endpoint, which has a few lines.
type bufferedAnswer struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

var _ http.ResponseWriter = &bufferedAnswer{}

// WriteHeader implements http.ResponseWriter.
func (a *bufferedAnswer) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *bufferedAnswer) Write(content []byte) (int, error) { return a.body.Write(content) }

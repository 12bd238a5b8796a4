// Package readiness lets the checks of /readyz say what is missing and what to
// do. The library withholds the reason, since it may hold names and addresses, and
// whoever asks for health need not be known. A remark is made for everyone to read.
package readiness

import "net/http"

// Remark is what a check says to everyone.
type Remark struct {
	// Check is its name.
	Check string
	// Text is what it says now; empty: nothing.
	Text func() string
	// Passing is set if it may say something while it passes, too.
	Passing bool
}

// Failing is the remark of a check that says the same whenever it fails.
func Failing(check, text string) Remark {
	return Remark{Check: check, Text: func() string { return text }}
}

// Explain returns a handler that puts the remarks into the lines that next writes
// for the checks on /readyz.
func Explain(next http.Handler, remarks []Remark) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if request.URL.Path != "/readyz" {
			next.ServeHTTP(w, request)
			return
		}
		report := &report{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(report, request)
		report.send(remarks)
	})
}

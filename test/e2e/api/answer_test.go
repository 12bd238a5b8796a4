package api

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"strings"
)

// answer is a response, read as far as the case needs.
type answer struct {
	code   int
	header http.Header
	body   []byte
	// advice are the Warning headers of package lint and of writes to what is being
	// deleted, which header does not have.
	advice []string
}

// ofDeletion begins the warnings of writes to what is being deleted.
const ofDeletion = `299 - "metadata.deletionTimestamp: `

// withoutAdvice returns the answer with its advice apart. Objects of a few fields, as
// cases have them, invite it, and only some cases are about it.
func (a answer) withoutAdvice() answer {
	warnings := a.header.Values("Warning")
	a.header.Del("Warning")
	for _, warning := range warnings {
		if strings.HasPrefix(warning, `299 - "FC`) || strings.HasPrefix(warning, ofDeletion) {
			a.advice = append(a.advice, warning)
		} else {
			a.header.Add("Warning", warning)
		}
	}
	return a
}

// plain returns the uncompressed body.
func (a answer) plain() ([]byte, error) {
	if a.header.Get("Content-Encoding") != "gzip" {
		return a.body, nil
	}
	reader, err := gzip.NewReader(bytes.NewReader(a.body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}

// says copies the status and body of another answer. The headers stay, and are
// still compared.
func (a *answer) says(other answer) {
	a.code, a.body = other.code, bytes.Clone(other.body)
}

// clone returns a deep copy.
func (a answer) clone() answer {
	return answer{code: a.code, header: a.header.Clone(), body: bytes.Clone(a.body), advice: slices.Clone(a.advice)}
}

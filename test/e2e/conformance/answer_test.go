package conformance

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
)

// answer is an HTTP response, read as far as the case wants it.
type answer struct {
	code   int
	header http.Header
	body   []byte
}

// plain is the body without compression.
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

// says gives the answer another's status and body; its headers stay, and are
// still to be compared.
func (a *answer) says(other answer) {
	a.code, a.body = other.code, bytes.Clone(other.body)
}

// clone is a copy that can be changed.
func (a answer) clone() answer {
	return answer{code: a.code, header: a.header.Clone(), body: bytes.Clone(a.body)}
}

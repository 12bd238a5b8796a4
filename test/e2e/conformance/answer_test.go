package conformance

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
)

// answer is a response, read as far as the case needs.
type answer struct {
	code   int
	header http.Header
	body   []byte
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
	return answer{code: a.code, header: a.header.Clone(), body: bytes.Clone(a.body)}
}

package filters

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"go.yaml.in/yaml/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	libraryyaml "sigs.k8s.io/yaml/goyaml.v2"
)

// WithBoundedAliases makes api answer 400 to a write whose YAML body has aliases that stand for
// more than limit bytes, and passes other requests on unchanged. The library expands aliases before
// it looks at what it gets: 100 KB that are named 5,000 times took 4 GB. It reads the first document
// alone. Bodies of more than limit bytes are left to api to reject.
func WithBoundedAliases(api http.Handler, limit int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && mayBeYAML(r.Header.Get("Content-Type")) {
			r = withCheckedAliases(r, limit)
		}
		api.ServeHTTP(w, r)
	})
}

// mayBeYAML reports whether some reader of the header may take the body for YAML; other types have
// no aliases. The library has two readers: for a patch it cuts the header at the first
// semicolon, for other writes it parses the header and rejects what is malformed. This one
// includes both.
func mayBeYAML(contentType string) bool {
	return strings.Contains(strings.ToLower(contentType), "yaml")
}

// withCheckedAliases returns the request with its body unread. Reading it fails with a 400 if its
// aliases stand for too much, so that the answer has the warnings, metrics and audit annotations of
// its route.
func withCheckedAliases(r *http.Request, limit int64) *http.Request {
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	rest := io.Reader(r.Body)
	if err == nil && int64(len(body)) <= limit {
		if err = checkAliases(body, limit); err != nil {
			body = nil
		}
	}
	if err != nil {
		rest = failingReader{err}
	}
	checked := r.WithContext(r.Context())
	checked.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), rest), r.Body}
	return checked
}

// failingReader repeats an error: net/http takes a body that ended early for complete when it is
// read again.
type failingReader struct{ err error }

// Read implements io.Reader.
func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// checkAliases returns a 400 for a body whose aliases stand for more than limit bytes.
func checkAliases(body []byte, limit int64) error {
	if !bytes.ContainsRune(body, '&') || !bytes.ContainsRune(body, '*') {
		return nil
	}
	var document yaml.Node
	if err := yaml.Unmarshal(body, &document); err != nil {
		if libraryRejects(body, &struct{}{}) {
			return nil // the library says what is wrong
		}
		return apierrors.NewBadRequest("the YAML body has aliases that cannot be followed; write the values out: " + err.Error())
	}
	if (expansion{limit: limit, sizes: map[*yaml.Node]int64{}}).of(&document) <= limit || libraryRejects(body, new(any)) {
		return nil
	}
	return apierrors.NewBadRequest(fmt.Sprintf("with its aliases expanded, the YAML body has more than %d bytes; write the values out, or leave some out", limit))
}

// libraryRejects reports whether the parser of the library rejects a body: as malformed,
// or for aliases of many nodes or of themselves. Strings that have aliases are not copied
// into an any, and a struct without fields takes no value at all. A tag may ask for
// copies, so a body with tags is not tried.
func libraryRejects(body []byte, into any) bool {
	if bytes.ContainsRune(body, '!') {
		return false
	}
	err := libraryyaml.Unmarshal(body, into)
	_, misfit := errors.AsType[*libraryyaml.TypeError](err)
	return err != nil && !misfit
}

// expansion computes the size of YAML with its aliases replaced by what they stand for.
type expansion struct {
	limit int64 // no size is counted beyond the first value above it
	// sizes are the sizes of the nodes that have an anchor. A node that contains itself has one
	// above the limit.
	sizes map[*yaml.Node]int64
}

// of returns the size of a node in bytes, at most limit+1.
func (e expansion) of(node *yaml.Node) int64 {
	if node.Kind == yaml.AliasNode {
		if node.Alias == nil {
			return 0
		}
		return e.of(node.Alias)
	}
	if size, known := e.sizes[node]; known {
		return size
	}
	if node.Anchor != "" {
		e.sizes[node] = e.limit + 1
	}
	size := int64(len(node.Value)) + 1
	for _, child := range node.Content {
		size = min(size+e.of(child), e.limit+1)
	}
	if node.Anchor != "" {
		e.sizes[node] = size
	}
	return size
}

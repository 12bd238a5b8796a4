package badrequest

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"go.yaml.in/yaml/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// checkAliases returns 400 for a YAML body whose aliases stand for more than bodyLimit
// bytes. The library expands them before it looks at what it gets: 100 KB that are named
// 5,000 times took 4 GB.
func checkAliases(r *http.Request, bodyLimit int64) (*http.Request, error) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if !strings.HasSuffix(media, "yaml") {
		return r, nil // the library rejects it, or it has no aliases
	}
	body, complete := readBody(r.Body, bodyLimit)
	unread := withBody(r, io.MultiReader(bytes.NewReader(body), r.Body))
	if !complete || !bytes.ContainsRune(body, '&') || !bytes.ContainsRune(body, '*') {
		return unread, nil
	}
	for documents := yaml.NewDecoder(bytes.NewReader(body)); ; {
		var document yaml.Node
		if err := documents.Decode(&document); err != nil {
			return unread, nil //nolint:nilerr // the end, or what the library rejects
		}
		if (expansion{limit: bodyLimit, sizes: map[*yaml.Node]int64{}}).of(&document) <= bodyLimit {
			continue
		}
		// The library rejects aliases for many nodes itself, and those of themselves.
		var expanded any
		if document.Decode(&expanded) == nil {
			return unread, apierrors.NewBadRequest(fmt.Sprintf("with its aliases expanded, the YAML body has more than %d bytes; write the values out, or leave some out", bodyLimit))
		}
	}
}

// expansion computes the size of YAML with its aliases replaced by what they stand for.
type expansion struct {
	limit int64 // no size is counted beyond the first value above it
	// sizes are those of the nodes that have an anchor. A node that contains itself has
	// one above the limit.
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

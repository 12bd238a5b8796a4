package badrequest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"go.yaml.in/yaml/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	libraryyaml "sigs.k8s.io/yaml/goyaml.v2"
)

// checkAliases returns 400 for a YAML body whose aliases stand for more than bodyLimit
// bytes. The library expands them before it looks at what it gets: 100 KB that are named
// 5,000 times took 4 GB. It reads the first document alone.
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
	var document yaml.Node
	if err := yaml.Unmarshal(body, &document); err != nil {
		if libraryRejects(body, &struct{}{}) {
			return unread, nil // the library says what is wrong
		}
		return unread, apierrors.NewBadRequest("the YAML body has aliases that cannot be followed; write the values out: " + err.Error())
	}
	if (expansion{limit: bodyLimit, sizes: map[*yaml.Node]int64{}}).of(&document) <= bodyLimit || libraryRejects(body, new(any)) {
		return unread, nil
	}
	return unread, apierrors.NewBadRequest(fmt.Sprintf("with its aliases expanded, the YAML body has more than %d bytes; write the values out, or leave some out", bodyLimit))
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

package plain

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Count returns an ErrBound for a number of documents that is more than the bound.
func (b Bounds) Count(documents int) error {
	if documents > b.Documents {
		return exceeds("number of documents", int64(b.Documents))
	}
	return nil
}

// JSON returns an ErrBound for a JSON document that has more bytes than the bound.
func (b Bounds) JSON(document []byte) error {
	if int64(len(document)) > 4*b.Document {
		return exceeds("bytes of a JSON document", 4*b.Document)
	}
	return nil
}

// Nodes parses a YAML document without following its aliases. It is an ErrBound if it has more bytes than the
// bound, or if aliases add more.
func (b Bounds) Nodes(document []byte) (*yaml.Node, error) {
	if int64(len(document)) > b.Document {
		return nil, exceeds("bytes of a YAML document", b.Document)
	}
	var root yaml.Node
	if err := yaml.Unmarshal(document, &root); err != nil {
		return nil, err
	}
	e := expansion{limit: b.Aliases, sizes: map[*yaml.Node]int64{}}
	e.sizeOf(&root)
	if e.line > 0 {
		return nil, fmt.Errorf("line %d: %w", e.line, exceeds("bytes that aliases add", b.Aliases))
	}
	return &root, nil
}

// expansion computes what aliases stand for.
type expansion struct {
	limit, added int64
	sizes        map[*yaml.Node]int64 // of the nodes with an anchor, in bytes
	line         int                  // of the alias that exceeds the limit
}

// sizeOf returns the size of a node with its aliases, at most limit+1. What contains itself has this size.
func (e *expansion) sizeOf(node *yaml.Node) int64 {
	if node.Kind == yaml.AliasNode && node.Alias != nil {
		size := e.sizes[node.Alias] // its anchor comes before it
		if e.added += size; e.added > e.limit && e.line == 0 {
			e.line = node.Line
		}
		return size
	}
	if node.Anchor != "" {
		e.sizes[node] = e.limit + 1
	}
	const ofNode = 16 // what a node needs at least
	size := int64(len(node.Value)) + ofNode
	for _, child := range node.Content {
		size = min(size+e.sizeOf(child), e.limit+1)
	}
	if node.Anchor != "" {
		e.sizes[node] = size
	}
	return size
}

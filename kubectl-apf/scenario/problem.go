package scenario

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// problem is what is wrong with a field.
type problem struct {
	at   []any // names and indices, the outermost first
	text string
}

func wrong(text string, at ...any) *problem { return &problem{at, text} }

// in returns the problem of a field that is below another.
func (p *problem) in(at ...any) *problem {
	if p == nil {
		return nil
	}
	return &problem{append(at, p.at...), p.text}
}

// path returns the field as text.
func (p *problem) path() string {
	var out strings.Builder
	for _, part := range p.at {
		switch part := part.(type) {
		case int:
			fmt.Fprintf(&out, "[%d]", part)
		case string:
			if out.Len() > 0 {
				out.WriteByte('.')
			}
			out.WriteString(part)
		}
	}
	return out.String()
}

// line returns the number of the line of the field in a document, or of the innermost
// field around it that the document has.
func (p *problem) line(document *yaml.Node) int {
	node := document.Content[0]
	line := node.Line
	for _, part := range p.at {
		var next *yaml.Node
		switch part := part.(type) {
		case int:
			if node.Kind == yaml.SequenceNode && part < len(node.Content) {
				next = node.Content[part]
				line = next.Line
			}
		case string:
			for i := 0; node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
				if node.Content[i].Value == part {
					next = node.Content[i+1]
					line = node.Content[i].Line
				}
			}
		}
		if next == nil {
			return line
		}
		node = next
	}
	return line
}

// first returns the first problem, or nil.
func first(problems ...*problem) *problem {
	for _, p := range problems {
		if p != nil {
			return p
		}
	}
	return nil
}

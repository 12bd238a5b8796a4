package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// masks replaces the values that differ between the servers in the answers of one
// server, in one case: a uid by its order of appearance, a current time by TIME.
type masks struct {
	uids map[string]string
	now  time.Time
}

func newMasks(now time.Time) *masks { return &masks{uids: map[string]string{}, now: now} }

// These patterns match the masked values.
const (
	uidPattern  = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`
	timePattern = `\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z`
	// ages in tables, in JSON and in YAML
	agePattern     = `"\d+(m\d+)?[sm]"`
	yamlAgePattern = `(?m)^( *- )\d+(m\d+)?[sm]$`
	// pointers in messages, and suffixes for generateName
	pointerPattern   = `\(0x[0-9a-f]+\)`
	generatedPattern = `\b(generated|Bad_Prefix)-[bcdfghjklmnpqrstvwxz2456789]{5}\b`
)

func (m *masks) text(text string) string {
	text = regexp.MustCompile(uidPattern).ReplaceAllStringFunc(text, func(uid string) string {
		if m.uids[uid] == "" {
			m.uids[uid] = fmt.Sprintf("uid-%d", len(m.uids)+1)
		}
		return m.uids[uid]
	})
	text = regexp.MustCompile(timePattern).ReplaceAllStringFunc(text, func(moment string) string {
		at, err := time.Parse(time.RFC3339, moment)
		if err != nil || m.now.Sub(at).Abs() > 24*time.Hour {
			return moment // set by the case
		}
		return "TIME"
	})
	for _, random := range []struct{ pattern, mask string }{
		{agePattern, `"AGE"`}, {yamlAgePattern, "${1}AGE"}, {pointerPattern, "(POINTER)"}, {generatedPattern, "$1-NAME"},
	} {
		text = regexp.MustCompile(random.pattern).ReplaceAllString(text, random.mask)
	}
	return text
}

// headers returns the lines of all headers that describe the server.
func headers(header http.Header) string {
	var lines []string
	for name, values := range header {
		switch {
		case name == "Date" || name == "Content-Length":
		case name == "Audit-Id" || name == "Etag" || name == "Last-Modified" || strings.HasPrefix(name, "X-Kubernetes-Pf-"):
			lines = append(lines, name+": (set)")
		default:
			for _, value := range values {
				lines = append(lines, name+": "+value)
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// answer formats an answer for comparison: status, headers, and the body as text.
// A JSON body keeps the order of its fields.
func (m *masks) answer(a answer, pick func(any) any) (string, error) {
	body, err := a.plain()
	if err != nil {
		return "", err
	}
	kind, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	if strings.HasPrefix(kind, "application/vnd.kubernetes.protobuf") {
		if body, err = fromProtobuf(body, strings.Contains(a.header.Get("Content-Type"), "stream=watch")); err != nil {
			return "", err
		}
	}
	if pick != nil {
		if body, err = picked(body, pick); err != nil {
			return "", err
		}
	}
	if kind == "application/json" || kind == "application/vnd.kubernetes.protobuf" {
		if body, err = steady(body); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d\n%s\n\n%s", a.code, m.text(headers(a.header)), m.text(string(body))), nil
}

// picked returns the part of a JSON body that is compared.
func picked(body []byte, pick func(any) any) ([]byte, error) {
	var whole any
	if err := json.Unmarshal(body, &whole); err != nil {
		return nil, fmt.Errorf("%w in %.200q", err, body)
	}
	return json.MarshalIndent(pick(whole), "", "  ")
}

// steady sorts the managed fields of each JSON document, whose order depends on
// the time, and the causes of a Status, whose order depends on a map. Documents
// with at most one of either are unchanged, to the byte.
func steady(body []byte) ([]byte, error) {
	if !bytes.Contains(body, []byte(`"managedFields"`)) && !bytes.Contains(body, []byte(`"causes"`)) {
		return body, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	moved, result := false, bytes.Buffer{}
	for {
		var document any
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%w in %.200q", err, body)
		}
		moved = sortLists(document) || moved
		text, err := json.Marshal(document)
		if err != nil {
			return nil, err
		}
		result.Write(append(text, '\n'))
	}
	if !moved {
		return body, nil
	}
	return result.Bytes(), nil
}

// sortLists sorts each of these lists that has more than one item, and reports
// whether it found one.
func sortLists(node any) bool {
	found := false
	switch node := node.(type) {
	case map[string]any:
		for key, value := range node {
			entries, ok := value.([]any)
			if (key == "managedFields" || key == "causes") && ok && len(entries) > 1 {
				slices.SortStableFunc(entries, func(a, b any) int { return strings.Compare(identity(a), identity(b)) })
				found = true
			}
			found = sortLists(value) || found
		}
	case []any:
		for _, value := range node {
			found = sortLists(value) || found
		}
	}
	return found
}

// identity returns the sort key of an item: operation and manager of an entry, or
// field and message of a cause.
func identity(item any) string {
	fields, _ := item.(map[string]any)
	return fmt.Sprint(fields["operation"], fields["manager"], fields["apiVersion"], fields["subresource"], fields["field"], fields["message"])
}

// readable indents JSON for the message about a difference.
func readable(answer string) string {
	head, body, _ := strings.Cut(answer, "\n\n")
	decoder, result := json.NewDecoder(strings.NewReader(body)), bytes.Buffer{}
	for decoder.More() {
		var document json.RawMessage
		if decoder.Decode(&document) != nil || json.Indent(&result, document, "", "  ") != nil {
			return answer
		}
		result.WriteByte('\n')
	}
	return head + "\n\n" + result.String()
}

// Two servers may answer in different seconds.
func TestAgesOfTablesAreMasked(t *testing.T) {
	m := newMasks(time.Now())
	require.Equal(t, m.text(`{"cells":["exempt",1,"53s","?"]}`), m.text(`{"cells":["exempt",1,"1m2s","?"]}`))
	require.Equal(t, m.text("- cells:\n  - exempt\n  - 53s\n  - '?'\n"), m.text("- cells:\n  - exempt\n  - 1m2s\n  - '?'\n"))
	require.NotEqual(t, m.text("- 53\n"), m.text("- 54\n"))
}

package fuzzparity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/gosyntax"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// verdict is the result of an attempt, without what differs between the servers:
// identities, times, and the wording of errors in a spec or a status.
type verdict struct {
	Code   int
	Reason string
	// Message is empty if there are Causes.
	Message string
	// Details are the name, group and kind of a rejection.
	Details string
	// Causes are sorted texts "type field", with the wording if it comes from the
	// library.
	Causes []string
	// Warnings are the warnings about fields, sorted.
	Warnings []string
	// Object is the accepted object in JSON.
	Object string
}

func (v verdict) accepts() bool { return v.Code == http.StatusOK || v.Code == http.StatusCreated }

// answer is an HTTP response.
type answer struct {
	code     int
	warnings []string
	body     []byte
}

// judge derives the verdict of an answer to the attempt.
func (a attempt) judge(got answer, target identity) verdict {
	v := verdict{Code: got.code, Warnings: fieldWarnings(got.warnings)}
	if v.accepts() {
		if a.verb != verbDelete {
			v.Object = a.stored(got.body, target)
		}
		return v
	}
	var status metav1.Status
	if err := json.Unmarshal(got.body, &status); err != nil || status.Kind != "Status" || int(status.Code) != got.code {
		v.Message = fmt.Sprintf("no Status of this code: %s", got.body)
		return v
	}
	v.Reason = string(status.Reason)
	generated := a.isNameGenerated()
	if details := status.Details; details != nil {
		v.Details = details.Group + " " + details.Kind
		if !generated {
			v.Details += " " + details.Name
		}
		for _, cause := range details.Causes {
			if generated && cause.Field == "metadata.name" {
				cause.Message = "" // it contains the generated name
			}
			v.Causes = append(v.Causes, describe(cause))
		}
		slices.Sort(v.Causes)
	}
	if len(v.Causes) == 0 && !generated {
		v.Message = nameless(status.Message, target)
	}
	return v
}

// decoderText is what a decoder or a patch says from where it shows Go syntax, and what this
// server says instead.
var decoderText = regexp.MustCompile(`(?s)(?:json: cannot unmarshal|parsing time|cannot convert|cannot restore|unrecognized type|expected a |map: map\[|` +
	`unknown patch type|The order in patch list|list element types|strconv\.|: runtime error|each item of the list must|the items of the patch must|` +
	`yaml: invalid map key|expected (?:map|list|string|boolean|numeric)|metadata\.managedFields must be|\$patch must be|all items of a list|` +
	`(?:"[^"]*" |(?:apiVersion|kind|metadata|spec|status)[\w.]*: )?must be (?:an? |true )).*`)

// reworded returns the verdict without what a decoder says.
func reworded(v verdict) verdict {
	v.Message = decoderText.ReplaceAllString(v.Message, "DECODER")
	return v
}

// goSyntax returns the message of an answer if it shows Go syntax, or the first cause that does;
// empty if there is none.
func goSyntax(got answer) string {
	var status metav1.Status
	if json.Unmarshal(got.body, &status) != nil || status.Kind != "Status" {
		return ""
	}
	if gosyntax.Find(status.Message) != "" {
		return status.Message
	}
	if status.Details == nil {
		return ""
	}
	for _, cause := range status.Details.Causes {
		if gosyntax.Find(cause.Message) != "" {
			return cause.Field + ": " + cause.Message
		}
	}
	return ""
}

// describe describes a cause, without the wording that differs between the
// servers.
func describe(cause metav1.StatusCause) string {
	text := string(cause.Type) + " " + cause.Field
	for _, ours := range []string{"spec", "status", "metadata.finalizers", "metadata.ownerReferences", "metadata.annotations", "patch"} {
		if strings.HasPrefix(cause.Field, ours) {
			return text
		}
	}
	return text + " " + cause.Message
}

// nameless replaces the identity of the target in a message by the placeholder.
func nameless(message string, target identity) string {
	if target.UID != "" {
		message = strings.ReplaceAll(message, target.UID, currentUID)
	}
	return strings.ReplaceAll(message, versionOld, versionNew)
}

// fieldWarnings removes the deprecation warning of v1beta3, which another test
// checks, and advice, which kube-apiserver does not send.
func fieldWarnings(warnings []string) []string {
	var kept []string
	for _, warning := range warnings {
		if strings.Contains(warning, "unknown field") || strings.Contains(warning, "duplicate field") {
			kept = append(kept, warning)
		}
	}
	slices.Sort(kept)
	return kept
}

// isNameGenerated reports whether each server generates a different name for the
// object.
func (a attempt) isNameGenerated() bool {
	tree, _ := objects.Decode(a.tree).(map[string]any)
	metadata, _ := tree["metadata"].(map[string]any)
	prefix, _ := metadata["generateName"].(string)
	return a.verb == verbCreate && prefix != ""
}

// stored returns the object of an answer, without server-specific values.
func (a attempt) stored(body []byte, target identity) string {
	object, _ := objects.Decode(body).(map[string]any)
	if a.version == versionOld {
		inV1(object, a.kind)
	}
	metadata, _ := object["metadata"].(map[string]any)
	if metadata == nil {
		return fmt.Sprintf("no object: %s", body)
	}
	for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"} {
		if value, ok := metadata[field].(string); ok && value != "" {
			metadata[field] = "some"
			if field == "uid" && value == target.UID {
				metadata[field] = currentUID
			}
		}
	}
	if prefix, ok := metadata["generateName"].(string); ok && a.isNameGenerated() {
		name, _ := metadata["name"].(string)
		metadata["name"] = strings.HasPrefix(name, prefix[:min(len(prefix), 58)])
	}
	metadata["managedFields"] = withoutTimes(metadata["managedFields"])
	return string(objects.Encode(object))
}

// withoutTimes removes the times of managed fields, the order that depends on
// them, and the entries of the creator of the built-in objects.
func withoutTimes(managed any) []any {
	var kept []any
	entries, _ := managed.([]any)
	for _, entry := range entries {
		fields, _ := entry.(map[string]any)
		if manager, _ := fields["manager"].(string); strings.HasPrefix(manager, "api-priority-and-fairness") {
			continue
		}
		delete(fields, "time")
		kept = append(kept, fields)
	}
	slices.SortStableFunc(kept, func(a, b any) int { return bytes.Compare(objects.Encode(a), objects.Encode(b)) })
	return kept
}

package explain

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/plain"
)

// UIDs returns the UIDs of the headers of flow control in a saved response, each once, in order of
// occurrence, and sentences about what the response says. It is an error if there are none.
func UIDs(response io.Reader) (uids, notes []string, err error) {
	text, err := plain.ReadAll(response, plain.Default().File)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the response: %w", err)
	}
	header := regexp.MustCompile(`(?i)(?:x-kubernetes-pf-(?:flowschema|prioritylevel)-uid\b|FlowSchema UID\b)\\?["']?[ \t]*[:=]?[ \t]*(?:\[\s*)?\\?["']?([0-9a-z][0-9a-z-]*)`)
	for _, match := range header.FindAllSubmatch(text, -1) {
		if uid := string(match[1]); !slices.Contains(uids, uid) {
			uids = append(uids, uid)
		}
	}
	if handler := byHandler.Find(text); handler != nil {
		said := fmt.Sprintf("%q: a handler of the API server answered 429, not flow control.", handler)
		if len(uids) == 0 {
			return nil, nil, errors.New(said + " So no object rejected the request")
		}
		notes = append(notes, said+" The objects are those that admitted the request.")
	}
	if len(uids) == 0 {
		return nil, nil, errors.New("the response has no header X-Kubernetes-PF-FlowSchema-UID or X-Kubernetes-PF-PriorityLevel-UID: " +
			"save all headers, as curl -i or kubectl -v=8 prints them. " +
			"A server without flow control and a long-running request have none, nor has a server whose configuration is built in or from files")
	}
	return uids, notes, nil
}

// byHandler matches what a handler of kube-apiserver says with a 429.
var byHandler = regexp.MustCompile(`storage is \(re\)initializing|Cannot evict pod as it would violate the pod's disruption budget`)

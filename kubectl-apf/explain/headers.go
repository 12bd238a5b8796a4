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
// occurrence. It is an error if there are none.
func UIDs(response io.Reader) ([]string, error) {
	text, err := plain.ReadAll(response, plain.MaxFile)
	if err != nil {
		return nil, fmt.Errorf("reading the response: %w", err)
	}
	header := regexp.MustCompile(`(?i)x-kubernetes-pf-(?:flowschema|prioritylevel)-uid\b["']?[ \t]*[:=]?[ \t]*(?:\[\s*)?["']?([0-9a-z][0-9a-z-]*)`)
	var uids []string
	for _, match := range header.FindAllSubmatch(text, -1) {
		if uid := string(match[1]); !slices.Contains(uids, uid) {
			uids = append(uids, uid)
		}
	}
	if len(uids) == 0 {
		return nil, errors.New("the response has no header X-Kubernetes-PF-FlowSchema-UID or X-Kubernetes-PF-PriorityLevel-UID: " +
			"save all headers, as curl -i or kubectl -v=8 prints them. " +
			"A server without flow control and a long-running request have none, nor has a server whose configuration is built in or from files")
	}
	return uids, nil
}

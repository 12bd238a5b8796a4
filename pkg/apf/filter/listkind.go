package filter

import (
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/learned"
)

// kindOf returns the kind of a list.
func kindOf(info *apirequest.RequestInfo, options *metav1.ListOptions, whole, cached bool) learned.Kind {
	kind := learned.Kind{
		FromStorage: !cached, Namespaced: info.Namespace != "", Whole: whole, Limit: options.Limit,
	}
	switch labels, fields := options.LabelSelector != "", options.FieldSelector != ""; {
	case info.Name != "":
		kind.Selector = learned.OneName
	case labels && fields:
		kind.Selector = learned.LabelsAndFields
	case labels:
		kind.Selector = learned.Labels
	case fields:
		kind.Selector = learned.Fields
	}
	return kind
}

// isEncodedWhole reports whether the library encodes a list as a whole: in other media
// types than JSON and protobuf, as a table, or indented. It indents for people, whom it
// knows by their programs.
func isEncodedWhole(r *http.Request) bool {
	if strings.Contains(r.URL.RawQuery, "pretty") {
		return true
	}
	for _, accept := range r.Header["Accept"] {
		for _, mark := range [...]string{"Table", "yaml", "cbor", "pretty"} {
			if strings.Contains(accept, mark) {
				return true
			}
		}
	}
	agent := r.UserAgent()
	for _, program := range [...]string{"curl", "Wget", "Mozilla/5.0"} {
		if strings.HasPrefix(agent, program) {
			return true
		}
	}
	return false
}

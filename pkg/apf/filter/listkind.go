package filter

import (
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

// kindOf returns the kind of a list.
func kindOf(info *apirequest.RequestInfo, options *metav1.ListOptions, whole bool, source estimate.Source) estimate.ListKind {
	kind := estimate.ListKind{
		FromStorage: source == estimate.FromStorage, Namespaced: info.Namespace != "", Whole: whole, Limit: options.Limit,
	}
	switch labels, fields := options.LabelSelector != "", options.FieldSelector != ""; {
	case info.Name != "":
		kind.Selector = estimate.OneName
	case labels && fields:
		kind.Selector = estimate.BothSelectors
	case labels:
		kind.Selector = estimate.LabelSelector
	case fields:
		kind.Selector = estimate.FieldSelector
	}
	return kind
}

// isEncodedWhole reports whether a client asks for a list that the library encodes as a whole: in
// other media types than JSON and protobuf, as a table, or indented.
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
	return false
}

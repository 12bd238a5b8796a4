package explain

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metainternalversionscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/uri"
)

// placeholder is the name in the path of a request for an object whose name was not
// given.
const placeholder = "NAME"

// httpRequest is a request as a client sends it, and what a server reads from it.
type httpRequest struct {
	method string
	url    *url.URL
	info   *apirequest.RequestInfo
	// options are the options of a list or a watch.
	options metav1.ListOptions
	notes   []string
}

// http returns the request as a client sends it.
func (r Request) http() (httpRequest, error) {
	build := r.resourceRequest
	if r.Path != "" {
		build = r.pathRequest
	}
	h, err := build()
	if err != nil {
		return h, err
	}
	if err := h.parseOptions(); err != nil {
		return h, err
	}
	if h.info, err = uri.Info(h.method, h.url); err != nil {
		return h, fmt.Errorf("the path %q is not valid: %w", h.url.Path, err)
	}
	if h.info.Name == placeholder && r.Name == "" && r.Path == "" {
		h.info.Name = ""
	}
	if verb := strings.ToLower(r.Verb); h.info.Verb != verb && h.info.IsResourceRequest {
		h.notes = append(h.notes, fmt.Sprintf("For the API server the verb of this request is %s, not %s.", h.info.Verb, verb))
	}
	return h, nil
}

// parseOptions parses the options of a resource request.
func (h *httpRequest) parseOptions() error {
	if !strings.HasPrefix(h.url.Path, "/api/") && !strings.HasPrefix(h.url.Path, "/apis/") {
		return nil
	}
	query := h.url.Query()
	// Selectors are parsed only in the internal version.
	internal := metainternalversion.ListOptions{}
	err := metainternalversionscheme.ParameterCodec.DecodeParameters(query, metav1.SchemeGroupVersion, &internal)
	if err == nil {
		err = metav1.Convert_url_Values_To_v1_ListOptions(&query, &h.options, nil)
	}
	if err != nil {
		return fmt.Errorf("the options of the request are invalid, so the API server rejects it: %w", err)
	}
	return nil
}

// pathRequest returns a request by its path.
func (r Request) pathRequest() (httpRequest, error) {
	var h httpRequest
	if !strings.HasPrefix(r.Path, "/") {
		return h, fmt.Errorf("path %q must begin with a slash", r.Path)
	}
	parsed, err := url.ParseRequestURI(r.Path)
	if err != nil {
		return h, fmt.Errorf("path %q is not valid: %w", r.Path, err)
	}
	h.url = parsed
	verb := strings.ToLower(r.Verb)
	switch verb {
	case "get", "head", "post", "put", "patch", "delete", "options":
		h.method = strings.ToUpper(verb)
	case "list", "watch", "create", "update", "deletecollection":
		h.method = methodOf(verb)
	default:
		return h, fmt.Errorf("verb %q must be an HTTP method in lower case, such as get or post, for a path", r.Verb)
	}
	query, err := r.options(verb)
	for key, values := range h.url.Query() {
		if !query.Has(key) {
			query[key] = values
		}
	}
	h.url.RawQuery = query.Encode()
	return h, err
}

// options returns the options of the request as parameters of a URL.
func (r Request) options(verb string) (url.Values, error) {
	options := r.Options
	options.Watch = verb == "watch"
	return metav1.ParameterCodec.EncodeParameters(&options, metav1.SchemeGroupVersion)
}

// resourceRequest returns a request by its resource.
func (r Request) resourceRequest() (httpRequest, error) {
	verb := strings.ToLower(r.Verb)
	h := httpRequest{method: methodOf(verb)}
	switch {
	case h.method == "":
		return h, fmt.Errorf("verb %q must be get, list, watch, create, update, patch, delete or deletecollection. For an HTTP method give a path; kubectl COMMAND -v=6 prints the paths of a command", r.Verb)
	case r.Resource.Resource == "":
		return h, errors.New("a resource or a path is required, such as pods or /healthz")
	case verb == "deletecollection" && r.Name != "":
		return h, fmt.Errorf("deletecollection takes no name; to delete %q, use the verb delete", r.Name)
	}
	query, err := r.options(verb)
	if err != nil {
		return h, err
	}
	segments, name := r.collection(), r.Name
	switch verb {
	case "list", "watch":
		if name != "" && r.Subresource == "" {
			selectName(query, name)
			h.notes = append(h.notes, fmt.Sprintf("A %s of one name is a %s with the field selector metadata.name=%s.", verb, verb, name))
			name = ""
		}
	case "create":
		if name != "" && r.Subresource == "" {
			name = "" // the name is in the body
		}
	case "update", "patch":
		name = cmp.Or(name, placeholder)
	}
	if r.Subresource != "" {
		name = cmp.Or(name, placeholder)
	}
	for _, segment := range []string{name, r.Subresource} {
		if segment != "" {
			segments = append(segments, segment)
		}
	}
	if i := slices.IndexFunc(segments, func(s string) bool { return s == "." || s == ".." || strings.Contains(s, "/") && s != r.Subresource }); i >= 0 {
		return h, fmt.Errorf("%q must not be a path: it is part of one", segments[i])
	}
	h.url = &url.URL{Path: path.Join(append([]string{"/"}, segments...)...), RawQuery: query.Encode()}
	return h, nil
}

// collection returns the path of the collection.
func (r Request) collection() []string {
	version := cmp.Or(r.Version, "v1")
	segments := []string{"api", version}
	if r.Group != "" {
		segments = []string{"apis", r.Group, version}
	}
	if r.Namespace != "" && (r.Group != "" || r.Resource.Resource != "namespaces") {
		segments = append(segments, "namespaces", r.Namespace)
	}
	return append(segments, r.Resource.Resource)
}

// methodOf returns the HTTP method of an API verb; empty if it is not one.
func methodOf(verb string) string {
	switch verb {
	case "get", "list", "watch":
		return http.MethodGet
	case "create":
		return http.MethodPost
	case "update":
		return http.MethodPut
	case "patch":
		return http.MethodPatch
	case "delete", "deletecollection":
		return http.MethodDelete
	default:
		return ""
	}
}

// selectName adds a field selector of one name.
func selectName(query url.Values, name string) {
	selector := "metadata.name=" + name
	if more := query.Get("fieldSelector"); more != "" {
		selector += "," + more
	}
	query.Set("fieldSelector", selector)
}

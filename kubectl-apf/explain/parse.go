package explain

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Parser reads requests in the form of the package comment.
type Parser struct {
	Mapper Mapper
	// Namespace is for requests without -n and -A, as in a context of a kubeconfig; empty means
	// default.
	Namespace string
	// User and Groups are for requests without --as and --as-group.
	User   string
	Groups []string
}

// Flags are the options of a request on a command line.
type Flags struct {
	Namespace         string
	AllNamespaces     bool
	Subresource       string
	Raw               string
	As                string
	AsGroups          []string
	Options           metav1.ListOptions
	SendInitialEvents bool

	set *pflag.FlagSet
}

// AddTo adds the options to a flag set.
func (f *Flags) AddTo(set *pflag.FlagSet) {
	f.set = set
	set.BoolVarP(&f.AllNamespaces, "all-namespaces", "A", false, "The request is for all namespaces.")
	set.StringVar(&f.Subresource, "subresource", "", "The request is for this subresource, such as status or scale.")
	set.StringVar(&f.Raw, "raw", "", "The request is for this URL path, with or without a query.")
	set.StringVarP(&f.Options.LabelSelector, "selector", "l", "", "Label selector of a list or a watch.")
	set.StringVar(&f.Options.FieldSelector, "field-selector", "", "Field selector of a list or a watch.")
	set.Int64Var(&f.Options.Limit, "limit", 0, "Limit of a list; 0 means none. kubectl get uses 500.")
	set.StringVar(&f.Options.ResourceVersion, "resource-version", "", "resourceVersion of a list or a watch. Informers list with 0.")
	set.StringVar((*string)(&f.Options.ResourceVersionMatch), "resource-version-match", "", "resourceVersionMatch of a list: Exact or NotOlderThan.")
	set.StringVar(&f.Options.Continue, "continue", "", "Continue token of a list.")
	set.BoolVar(&f.SendInitialEvents, "send-initial-events", false, "sendInitialEvents of a watch.")
	set.StringVarP(&f.Namespace, "namespace", "n", "", "The namespace of the request.")
	set.StringVar(&f.As, "as", "", "The user of the request.")
	set.StringArrayVar(&f.AsGroups, "as-group", nil, "A group of the user. It may be repeated.")
}

// ErrNoRequest says what a request is.
var ErrNoRequest = errors.New("a request must be VERB RESOURCE [NAME...], VERB RESOURCE/NAME or VERB /PATH, such as: list pods; get pods/web; get /healthz")

// Parse returns the requests of the words of a request, see the package comment, and of
// its options.
func (p Parser) Parse(words []string, flags *Flags) ([]Request, error) {
	words = withoutServer(words)
	if flags.Raw != "" && len(words) > 0 {
		words = slices.Insert(words, 1, flags.Raw)
	}
	if len(words) < 2 {
		return nil, ErrNoRequest
	}
	r := p.request(words[0], flags)
	if flags.Raw != "" || strings.HasPrefix(words[1], "/") {
		if len(words) > 2 || flags.Subresource != "" {
			return nil, fmt.Errorf("a path is the whole request: %q must not follow it", strings.Join(append(words[2:], flags.Subresource), " "))
		}
		r.Path = words[1]
		return []Request{r}, nil
	}
	named, err := objectsOf(r.Verb, words[1:])
	if err != nil {
		return nil, err
	}
	requests := make([]Request, 0, len(named))
	for _, o := range named {
		one, err := p.objectRequest(r, o, flags)
		if err != nil {
			return nil, err
		}
		requests = append(requests, one)
	}
	return requests, nil
}

// withoutServer returns the request in a line that client-go or kubectl printed, whole or in part: as
// GET:https://HOST/PATH, GET https://HOST/PATH, verb="GET" url="https://HOST/PATH", or a command of curl. Other
// words are returned as they are.
func withoutServer(words []string) []string {
	line := strings.Join(words, " ")
	for _, form := range []string{`verb\W+([A-Z]+)\W+(?:url|URL)\W+(https?://[^\s"\\]+)`, `-X\s*([A-Z]+)\b.*'(https?://[^']+)'`, `\b([A-Z]+)[: ]\s*(https?://[^\s"']+)`, `^([A-Za-z]+)[: ](https?://\S+)$`} {
		found := regexp.MustCompile(form).FindStringSubmatch(line)
		if found == nil {
			continue
		}
		if parsed, err := url.Parse(found[2]); err == nil && parsed.Host != "" {
			return []string{found[1], parsed.RequestURI()}
		}
	}
	return words
}

// request returns what all requests of a line have in common: the verb, the user and the
// options.
func (p Parser) request(verb string, flags *Flags) Request {
	r := Request{Verb: strings.ToLower(verb), User: p.User, Groups: p.Groups, Options: flags.Options}
	if flags.As != "" || len(flags.AsGroups) > 0 {
		r.Groups = flags.AsGroups
	}
	if flags.As != "" {
		r.User = flags.As
	}
	if flags.set.Changed("send-initial-events") {
		r.Options.SendInitialEvents = &flags.SendInitialEvents
	}
	return r
}

// objectRequest returns the request for an object or a collection.
func (p Parser) objectRequest(r Request, o objectName, flags *Flags) (Request, error) {
	var err error
	if r.Resource, err = p.Mapper(o.resource); err != nil {
		return r, err
	}
	r.Name, r.Subresource = o.name, o.subresource
	if flags.Subresource != "" {
		if r.Subresource != "" {
			return r, fmt.Errorf("specify the subresource once: %s or --subresource=%s", r.Subresource, flags.Subresource)
		}
		r.Subresource = flags.Subresource
	}
	if o.doubtful {
		r.Notes = append(r.Notes, fmt.Sprintf("%q is read as the name of an object, as kubectl does. For the subresource, add --subresource=%s instead.", o.name, o.name))
	}
	selects := r.Options.LabelSelector != "" || r.Options.FieldSelector != ""
	if r.Name != "" && selects && r.Verb != "list" && r.Verb != "watch" {
		return r, fmt.Errorf("a name and a selector must not be given together: %s %s", r.Verb, r.Name)
	}
	r.Namespace, err = p.namespace(r, flags)
	return r, err
}

// namespace returns the namespace of a request for a resource.
func (p Parser) namespace(r Request, flags *Flags) (string, error) {
	switch {
	case flags.AllNamespaces && flags.Namespace != "":
		return "", errors.New("-n and -A must not be given together")
	case !r.Namespaced:
		return "", nil
	case flags.Namespace != "":
		return flags.Namespace, nil
	case flags.AllNamespaces && (r.Name != "" || r.Verb == "create" || r.Subresource != ""):
		return "", fmt.Errorf("-A must not be given for a request for one object: %s", r.Verb)
	case flags.AllNamespaces:
		return "", nil
	case p.Namespace != "":
		return p.Namespace, nil
	default:
		return "default", nil
	}
}

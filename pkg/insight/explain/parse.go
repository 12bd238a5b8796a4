package explain

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

// Parser reads requests in the form of the package comment.
type Parser struct {
	Mapper Mapper
	// Namespace is that of requests without -n and -A, as in a context of a
	// kubeconfig; empty means default.
	Namespace string
	// User and Groups are those of requests without --as and --as-group.
	User   string
	Groups []string
}

// Flags are the options of a request on a command line.
type Flags struct {
	Namespace         string
	AllNamespaces     bool
	As                string
	AsGroups          []string
	Options           Options
	SendInitialEvents bool

	set *pflag.FlagSet
}

// AddTo adds the options of the request itself to a flag set. AddIdentityTo adds the
// others.
func (f *Flags) AddTo(set *pflag.FlagSet) {
	f.set = set
	set.BoolVarP(&f.AllNamespaces, "all-namespaces", "A", false, "The request is for all namespaces.")
	set.StringVarP(&f.Options.LabelSelector, "selector", "l", "", "Label selector of a list or a watch.")
	set.StringVar(&f.Options.FieldSelector, "field-selector", "", "Field selector of a list or a watch.")
	set.Int64Var(&f.Options.Limit, "limit", 0, "Limit of a list; 0 means none. kubectl get uses 500.")
	set.StringVar(&f.Options.ResourceVersion, "resource-version", "", "resourceVersion of a list or a watch. Informers list with 0.")
	set.StringVar(&f.Options.ResourceVersionMatch, "resource-version-match", "", "resourceVersionMatch of a list: Exact or NotOlderThan.")
	set.StringVar(&f.Options.Continue, "continue", "", "Continue token of a list.")
	set.BoolVar(&f.SendInitialEvents, "send-initial-events", false, "sendInitialEvents of a watch.")
}

// AddIdentityTo adds the namespace and the user, which the flags of kubectl have too.
func (f *Flags) AddIdentityTo(set *pflag.FlagSet) {
	set.StringVarP(&f.Namespace, "namespace", "n", "", "The namespace of the request.")
	set.StringVar(&f.As, "as", "", "The user of the request.")
	set.StringArrayVar(&f.AsGroups, "as-group", nil, "A group of the user. It may be repeated.")
}

// Parse returns the request of the words VERB RESOURCE[/SUBRESOURCE] [NAME], or
// VERB /PATH, and of the options.
func (p Parser) Parse(words []string, flags *Flags) (Request, error) {
	r := Request{User: p.User, Groups: p.Groups, Options: flags.Options}
	if flags.As != "" || len(flags.AsGroups) > 0 {
		r.Groups = flags.AsGroups
	}
	if flags.As != "" {
		r.User = flags.As
	}
	if flags.set != nil && flags.set.Changed("send-initial-events") {
		r.Options.SendInitialEvents = &flags.SendInitialEvents
	}
	if len(words) < 2 || len(words) > 3 {
		return r, errors.New("a request must be VERB RESOURCE[/SUBRESOURCE] [NAME] or VERB /PATH, such as list pods or get /healthz")
	}
	r.Verb = strings.ToLower(words[0])
	if strings.HasPrefix(words[1], "/") {
		if len(words) == 3 {
			return r, fmt.Errorf("%q must not follow a path", words[2])
		}
		r.Path = words[1]
		return r, nil
	}
	resource, subresource, _ := strings.Cut(words[1], "/")
	var err error
	if r.Resource, err = p.Mapper.Find(resource); err != nil {
		return r, err
	}
	r.Subresource = subresource
	if len(words) == 3 {
		r.Name = words[2]
	}
	r.Namespace, err = p.namespace(r, flags)
	return r, err
}

// namespace returns the namespace of a request for a resource.
func (p Parser) namespace(r Request, flags *Flags) (string, error) {
	switch {
	case flags.AllNamespaces && flags.Namespace != "":
		return "", errors.New("-n and -A must not be given together")
	case !r.Resource.Namespaced:
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

// Line returns the request of a line.
func (p Parser) Line(line string) (Request, error) {
	words, err := split(line)
	if err != nil {
		return Request{}, err
	}
	var flags Flags
	set := pflag.NewFlagSet("request", pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	flags.AddTo(set)
	flags.AddIdentityTo(set)
	if err := set.Parse(words); err != nil {
		return Request{}, err
	}
	return p.Parse(set.Args(), &flags)
}

// Line is a request of a file.
type Line struct {
	// Number is the number of the line, from 1. Text is the line.
	Number int
	Text   string
	Request
}

// Lines returns the requests of a file, one a line. The error names the line.
func (p Parser) Lines(from io.Reader) ([]Line, error) {
	var lines []Line
	scanner := bufio.NewScanner(from)
	scanner.Buffer(nil, 1<<20)
	for number := 1; scanner.Scan(); number++ {
		text := strings.TrimSpace(scanner.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		request, err := p.Line(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		lines = append(lines, Line{Number: number, Text: text, Request: request})
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("reading requests: %w", err)
	}
	return lines, nil
}

// split returns the words of a line. Single and double quotes group words; there are
// no escapes.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, inside := rune(0), false
	for _, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, inside = c, true
		case c == ' ' || c == '\t':
			if inside {
				words = append(words, word.String())
				word.Reset()
			}
			inside = false
		default:
			word.WriteRune(c)
			inside = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote is not closed: %s", line)
	}
	if inside {
		words = append(words, word.String())
	}
	return words, nil
}

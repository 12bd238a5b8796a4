package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/explain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/discovery"
)

// explainCommand is "kubectl apf explain".
type explainCommand struct {
	env      Environment
	looking  *looking
	output   output
	request  explain.Flags
	trace    bool
	requests string
}

func newExplain(env Environment) *cobra.Command {
	e := &explainCommand{env: env, looking: newLooking().withoutImpersonation().withFiles("Files of flow schemas and priority levels, as if they were applied.")}
	e.looking.cluster.Namespace = nil // -n belongs to the request
	c := page{
		use:   "explain (VERB RESOURCE[/NAME] [NAME...] | VERB /PATH | --requests FILE)",
		short: "Say what flow control does with a request",
		long: `kubectl apf explain says what flow control does with a request: which flow schema matches
it and why, its priority level, its flow and queues, how many seats it takes, and
whether it would execute, wait or be rejected now on each replica of the API server.

Objects are named as in kubectl: RESOURCE NAME, RESOURCE/NAME, RESOURCE,RESOURCE, short
names, RESOURCE.VERSION.GROUP. A file of --requests has a request in each line, with these
words and options. The user comes from --as, otherwise from the kubeconfig.

kubectl prints the requests of a command with -v=6: explain the paths of their URLs.`,
		examples: `# Say what happens when you list the pods of all namespaces
kubectl apf explain list pods -A

# Say why a request does not get the flow schema that you expect
kubectl apf explain update deployments/web --subresource=scale -n shop --as=scaler --trace

# Say what happens to a probe once a file is applied
kubectl apf explain get /readyz --as=system:anonymous -f flowschemas.yaml

# Explain without a cluster, by the built-in objects of Kubernetes 1.33
kubectl apf explain list secrets -A --as=bob --offline --release=1.33`,
		rights: append(append(configurationRights(), replicaRights()...), identityRights()...),
	}.command()
	c.Args = e.validate
	c.RunE = func(c *cobra.Command, args []string) error {
		return e.run(c.Context(), args)
	}
	c.ValidArgsFunction = e.complete
	e.request.AddTo(c.Flags())
	e.request.AddIdentityTo(c.Flags())
	completeFlag(c, "subresource", func(context.Context) []string { return discovery.Subresources() })
	c.Flags().BoolVar(&e.trace, "trace", false, "List the flow schemas that come before, with the first thing in each that does not match.")
	c.Flags().StringVar(&e.requests, "requests", "", "A file with a request in each line, - for standard input. The answer is a table.")
	e.looking.addFlags(c.Flags())
	e.output.addFlag(c, formatJSON, formatYAML, formatWide, formatName)
	return c
}

// validate rejects words that are no request.
func (e *explainCommand) validate(_ *cobra.Command, args []string) error {
	switch {
	case e.requests != "" && len(args) > 0:
		return errors.New("a request and --requests exclude each other")
	case e.requests == "" && len(args) < 2 && e.request.Raw == "" && e.looking.hasFiles():
		return errors.New("a request must be given too: -f names files of flow schemas")
	case e.requests == "" && len(args) < 2 && e.request.Raw == "":
		return errors.New("a request must be VERB RESOURCE [NAME...], VERB RESOURCE/NAME or VERB /PATH, such as: list pods; get pods/web; get /healthz")
	default:
		return nil
	}
}

func (e *explainCommand) run(ctx context.Context, words []string) error {
	if err := e.output.validate(); err != nil {
		return err
	}
	explainer, parser, err := e.prepare(ctx)
	if err != nil {
		return err
	}
	if e.requests != "" {
		return e.explainFile(explainer, parser)
	}
	requests, err := parser.Parse(words, &e.request)
	if err != nil {
		return err
	}
	if len(requests) > 1 {
		lines := make([]explain.Line, len(requests))
		for i, request := range requests {
			lines[i] = explain.Line{Text: strings.Join(words, " "), Request: request}
		}
		return e.writeRows(explainer.ExplainAll(lines))
	}
	found, err := explainer.Explain(requests[0])
	if err != nil {
		return err
	}
	return e.output.write(e.env, explained{Answer: &found, trace: e.trace}, namesOfAnswer(&found))
}

// explainFile explains the requests of a file.
func (e *explainCommand) explainFile(explainer *explain.Explainer, parser explain.Parser) error {
	in, err := openFile(e.env, e.requests)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	lines, err := parser.Lines(in)
	if err != nil {
		return fmt.Errorf("%s: %w", e.requests, err)
	}
	return e.writeRows(explainer.ExplainAll(lines))
}

func (e *explainCommand) writeRows(rows explain.Rows) error {
	return e.output.write(e.env, rows, namesOfRows(rows))
}

func namesOfRows(rows explain.Rows) []string {
	var names []string
	for _, row := range rows {
		if row.Answer != nil {
			names = append(names, namesOfAnswer(row.Answer)...)
		}
	}
	return unique(names)
}

// prepare reads what explanations and the words of requests need.
func (e *explainCommand) prepare(ctx context.Context) (*explain.Explainer, explain.Parser, error) {
	from, err := e.looking.open(e.env)
	if err != nil {
		return nil, explain.Parser{}, err
	}
	explainer, err := e.explainer(ctx, from)
	if err != nil {
		return nil, explain.Parser{}, err
	}
	parser, err := e.parser(ctx)
	return explainer, parser, err
}

// parser returns the parser of requests, with the defaults of the kubeconfig.
func (e *explainCommand) parser(ctx context.Context) (explain.Parser, error) {
	if e.looking.isOffline() {
		return explain.Parser{Mapper: explain.Offline()}, nil
	}
	mapper, err := e.looking.cluster.ToRESTMapper()
	if err != nil {
		return explain.Parser{}, err
	}
	parser := explain.Parser{Mapper: explain.FromRESTMapper(mapper)}
	if namespace, _, err := e.looking.cluster.ToRawKubeConfigLoader().Namespace(); err == nil {
		parser.Namespace = namespace
	}
	if e.request.As == "" {
		parser.User, parser.Groups, err = e.looking.whoAmI(ctx)
	}
	return parser, err
}

// explainer reads what explanations need.
func (e *explainCommand) explainer(ctx context.Context, from source.Source) (*explain.Explainer, error) {
	c, err := from.Configuration(ctx)
	if err != nil {
		return nil, err
	}
	replicas, err := from.Replicas(ctx, source.Want{Metrics: true, Levels: true, Queues: true, Requests: true})
	if err != nil {
		return nil, err
	}
	return explain.New(explain.Input{
		Configuration: c, Own: c.Own, Replicas: replicas, Now: e.env.Clock.Now(),
	}), nil
}

// explained is the answer about one request.
type explained struct {
	*explain.Answer
	trace bool
}

func (e explained) WriteTable(w io.Writer, options table.Options) error {
	return e.Answer.WriteTable(w, options, e.trace)
}

func namesOfAnswer(a *explain.Answer) []string {
	return []string{schemaName(a.FlowSchema.Name), levelName(a.PriorityLevel.Name)}
}

// openFile opens a file, or standard input for "-".
func openFile(env Environment, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(env.In), nil
	}
	return os.Open(name)
}

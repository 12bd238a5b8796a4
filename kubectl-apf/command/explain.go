package command

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/explain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// explainCommand is "kubectl apf explain".
type explainCommand struct {
	commonFlags
	request explain.Flags
	tenants rules.Tenants
	trace   bool
}

func newExplain(env Environment) *cobra.Command {
	e := &explainCommand{commonFlags: newCommonFlags(env).withFiles("Files of flow schemas and priority levels, as if they were applied.")}
	// These flags are about the request here.
	e.cluster.Impersonate, e.cluster.ImpersonateGroup, e.cluster.ImpersonateUID, e.cluster.Namespace = nil, nil, nil, nil
	c := page{
		use:   "explain (VERB RESOURCE[/NAME] [NAME...] | VERB /PATH)",
		short: "Say what flow control does with a request",
		long: `kubectl apf explain shows what flow control does with a request: which flow schema matches
it and why, its priority level, its flow and queues, how many seats it takes, and
whether it would execute, wait or be rejected now on each replica of the API server.

Objects are named as in kubectl: RESOURCE NAME, RESOURCE/NAME, RESOURCE,RESOURCE, short
names, RESOURCE.VERSION.GROUP. The user comes from --as, otherwise from the kubeconfig.

kubectl -v=6 prints the requests of a command, and client-go logs the requests that wait.
Pass such a line unchanged, in quotes.

The first three lines show the request and its user, the priority level, and the outcome.
-o wide adds UIDs.`,
		examples: `# Explain a list of the pods of all namespaces
kubectl apf explain list pods -A

# Find out why a request does not match the flow schema that you expect
kubectl apf explain update deployments/web --subresource=scale -n shop --as=scaler --trace

# Explain a probe as if a file were applied
kubectl apf explain get /readyz --as=system:anonymous -f flowschemas.yaml

# Explain without a cluster, with the built-in objects of Kubernetes 1.33
kubectl apf explain list secrets -A --as=bob --offline --release=1.33`,
	}.command(e.run)
	c.Args = e.validate
	c.ValidArgsFunction = cobra.NoFileCompletions
	e.request.AddTo(c.Flags())
	c.Flags().BoolVar(&e.trace, "trace", false, "List the flow schemas with lower precedence, with the first difference in each.")
	addTenantsTo(c, &e.tenants, tenantsSeen)
	e.addTo(c)
	return c
}

// validate rejects words that are no request.
func (e *explainCommand) validate(_ *cobra.Command, args []string) error {
	switch {
	case len(args) >= 2 || e.request.Raw != "" || len(args) == 1 && strings.Contains(args[0], "://"):
		return nil
	case e.hasFiles():
		return errors.New("a request is required too: -f names files of flow schemas")
	default:
		return explain.ErrNoRequest
	}
}

func (e *explainCommand) run(ctx context.Context, words []string) error {
	if err := checkTenants(e.tenants); err != nil {
		return err
	}
	from, c, err := e.read(ctx)
	if err != nil {
		return err
	}
	replicas, err := from.Replicas(ctx, source.Want{Metrics: true, Levels: true, Queues: true, Requests: true})
	if err != nil {
		return err
	}
	parser, err := e.parser(ctx)
	if err != nil {
		return err
	}
	requests, err := parser.Parse(words, &e.request)
	if err != nil {
		return err
	}
	c.Tenants = tenantsOf(e.tenants, replicas)
	explainer := explain.New(explain.Input{Configuration: c, Replicas: replicas, Now: e.env.Clock.Now()})
	if len(requests) > 1 {
		return e.write(explainer.ExplainAll(strings.Join(words, " "), requests))
	}
	found, err := explainer.Explain(requests[0])
	if err != nil {
		return err
	}
	return e.write(explained{Answer: &found, trace: e.trace})
}

// parser returns the parser of requests, with the defaults of the kubeconfig.
func (e *explainCommand) parser(ctx context.Context) (explain.Parser, error) {
	if e.offline || e.dumps != "" {
		return explain.Parser{Mapper: explain.Offline}, nil
	}
	mapper, err := e.cluster.ToRESTMapper()
	if err != nil {
		return explain.Parser{}, err
	}
	parser := explain.Parser{Mapper: explain.FromRESTMapper(mapper)}
	if namespace, _, err := e.cluster.ToRawKubeConfigLoader().Namespace(); err == nil {
		parser.Namespace = namespace
	}
	if e.request.As == "" {
		parser.User, parser.Groups, err = e.whoAmI(ctx)
	}
	return parser, err
}

// explained is the answer about one request.
type explained struct {
	*explain.Answer
	trace bool
}

func (e explained) WriteTable(w io.Writer, options table.Options) error {
	return e.Answer.WriteTable(w, options, e.trace)
}

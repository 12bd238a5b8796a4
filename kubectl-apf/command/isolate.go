package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/isolate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/record"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// isolateCommand is "kubectl apf isolate".
type isolateCommand struct {
	env       Environment
	looking   *looking
	output    output
	accounts  []string
	workloads []string
	logs      logFlags
	trace     string
	name      string
	seats     int
}

func newIsolate(env Environment) *cobra.Command {
	i := &isolateCommand{env: env, looking: newLooking().withFiles("The manifests of the operator, such as its roles, as if they were applied.")}
	c := page{
		use:   "isolate (--service-account NAMESPACE/NAME | --for KIND/NAME)...",
		short: "Make flow schemas and a priority level for an operator",
		long: `kubectl apf isolate makes flow schemas and a priority level for the service accounts of an
operator, ready to apply: leases go to leader election, events stay where they are, and
everything else goes to a level of its own. It says why each object is as it is, what
applying it would change, and what kubectl apf lint finds. It applies nothing.

What the operator sends follows from its roles, in the cluster or in files, and from a log
if one is given. The level's shares are added: it says what each other level pays. No
request of anybody else moves.

-o yaml writes the objects, with the reasons as comments, and what would change to
standard error.

The exit status is 1 if lint finds a warning or an error in the objects.`,
		examples: `# Isolate an operator that is installed
kubectl apf isolate --service-account=shop/default

# Apply the objects, and keep them in a repository
kubectl apf isolate --service-account=shop/default -o yaml > shop-default.yaml
kubectl apply -f shop-default.yaml

# Isolate an operator by its manifests, without a cluster
kubectl apf isolate --for=deployment/robot -n shop -f operator.yaml --offline --release=1.33

# Give it as many seats as its requests held in a log
kubectl apf isolate --service-account=shop/default --audit-log=audit.log`,
		rights: append(configurationRights(), append(factRights(), roleRights()...)...),
	}.command()
	c.Args = cobra.NoArgs
	c.RunE = func(c *cobra.Command, _ []string) error { return i.run(c.Context()) }
	flags := c.Flags()
	flags.StringArrayVar(&i.accounts, "service-account", nil, "A service account of the operator, NAMESPACE/NAME. It may be repeated: all get one level.")
	flags.StringArrayVar(&i.workloads, "for", nil, "A workload of the operator, in the namespace of -n: deployment/NAME, statefulset/NAME or daemonset/NAME. It may be repeated.")
	flags.StringVar(&i.name, "name", "", "The name of the level and of the flow schemas; without it, one after the service account.")
	flags.IntVar(&i.seats, "seats", 0, "The seats of the level on one API server; 0 if they are to be found.")
	i.logs.addFlags(flags)
	flags.StringVar(&i.trace, "trace", "", "A trace of kubectl apf record, instead of logs.")
	i.looking.addFlags(flags)
	i.output.addFlag(c, formatJSON, formatYAML, formatWide, formatName)
	return c
}

// roleRights read which requests a service account may send, and the accounts of workloads.
func roleRights() rights {
	return rights{
		{Verbs: []string{"list"}, APIGroups: []string{"rbac.authorization.k8s.io"}, Resources: []string{"clusterroles", "clusterrolebindings", "roles", "rolebindings"}},
		{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"serviceaccounts"}},
		{Verbs: []string{"get"}, APIGroups: []string{"apps"}, Resources: []string{"deployments", "statefulsets", "daemonsets"}},
	}
}

func (i *isolateCommand) run(ctx context.Context) error {
	if err := i.output.validate(); err != nil {
		return err
	}
	runners, err := i.runners()
	if err != nil {
		return err
	}
	in, err := i.read(ctx, runners)
	if err != nil {
		return err
	}
	requests, done, err := i.requests(ctx)
	if err != nil {
		return err
	}
	defer done()
	in.Requests = requests
	result, err := isolate.Run(in)
	if err != nil {
		return err
	}
	if err := i.write(result); err != nil {
		return err
	}
	if !result.IsClean() {
		return errFindings
	}
	return nil
}

// runners returns the service accounts and workloads of the flags.
func (i *isolateCommand) runners() ([]source.Runner, error) {
	var runners []source.Runner
	for _, text := range i.accounts {
		namespace, name, found := strings.Cut(text, "/")
		if !found || namespace == "" || name == "" || strings.Contains(name, "/") {
			return nil, fmt.Errorf("--service-account is %q: must be NAMESPACE/NAME", text)
		}
		runners = append(runners, source.Runner{Kind: "ServiceAccount", Namespace: namespace, Name: name})
	}
	for _, text := range i.workloads {
		kind, name, found := strings.Cut(text, "/")
		known := workloadKind(kind)
		if !found || name == "" || known == "" {
			return nil, fmt.Errorf("--for is %q: must be deployment/NAME, statefulset/NAME or daemonset/NAME", text)
		}
		runners = append(runners, source.Runner{Kind: known, Namespace: i.looking.namespace(), Name: name})
	}
	switch {
	case len(runners) == 0:
		return nil, errors.New("--service-account or --for must be given, the operator to isolate")
	case i.trace != "" && i.logs.given():
		return nil, errors.New("--trace and logs exclude each other: a trace is made of logs")
	case i.seats < 0:
		return nil, fmt.Errorf("--seats is %d: must not be negative", i.seats)
	default:
		return runners, nil
	}
}

// workloadKind returns the kind that kubectl calls so; "" if it is no workload.
func workloadKind(name string) string {
	switch name, _, _ = strings.Cut(strings.ToLower(name), "."); name {
	case "deployment", "deployments", "deploy":
		return "Deployment"
	case "statefulset", "statefulsets", "sts":
		return "StatefulSet"
	case "daemonset", "daemonsets", "ds":
		return "DaemonSet"
	default:
		return ""
	}
}

// read reads everything but the requests.
func (i *isolateCommand) read(ctx context.Context, runners []source.Runner) (in isolate.Input, err error) {
	in.Name, in.Seats, in.Now = i.name, i.seats, i.env.Clock.Now()
	from, err := i.looking.openForRoles(i.env)
	if err != nil {
		return in, err
	}
	if in.Configuration, err = from.Configuration(ctx); err != nil {
		return in, err
	}
	if in.Roles, err = from.Roles(ctx, runners); err != nil {
		return in, err
	}
	in.Facts, err = from.Facts(ctx)
	return in, err
}

// requests returns the requests of the logs, nil without any, and what releases them.
func (i *isolateCommand) requests(ctx context.Context) (each func(func(*trace.Request) error) error, done func(), err error) {
	if i.trace != "" {
		return i.traced, func() {}, nil
	}
	if !i.logs.given() {
		return nil, func() {}, nil
	}
	options, err := i.logs.options(i.env)
	if err != nil {
		return nil, nil, err
	}
	recording, err := record.New(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	return func(yield func(*trace.Request) error) error { return recording.Each(ctx, yield) }, recording.Close, nil
}

// traced yields the requests of the trace.
func (i *isolateCommand) traced(yield func(*trace.Request) error) error {
	file, err := trace.Open(i.trace)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	for {
		var r trace.Request
		err := file.Read(&r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := yield(&r); err != nil {
			return err
		}
	}
}

func (i *isolateCommand) write(r *isolate.Result) error {
	if i.output.format == formatYAML {
		text, err := r.Manifests()
		if err != nil {
			return err
		}
		if err := writeText(i.env.Out, text); err != nil {
			return err
		}
		return r.WriteEffect(i.env.ErrOut, table.Options{})
	}
	var names []string
	for k := range r.Objects {
		names = append(names, objectName(r.Objects[k].Kind(), r.Objects[k].Name()))
	}
	return i.output.write(i.env, r, names)
}

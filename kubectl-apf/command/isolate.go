package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/isolate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// isolateCommand is "kubectl apf isolate".
type isolateCommand struct {
	commonFlags
	accounts []string
	name     string
	seats    int
	demote   string
	lasting  time.Duration
}

func newIsolate(env Environment) *cobra.Command {
	i := &isolateCommand{commonFlags: newCommonFlags(env).withFiles("Files of flow schemas and priority levels, as if they were applied.")}
	c := page{
		use:   "isolate (--service-account NAMESPACE/NAME... | --demote USER)",
		short: "Make flow schemas and a priority level for an operator",
		long: `kubectl apf isolate prints flow schemas and a priority level for the service accounts of an
operator, ready to apply. Leases go to leader election, events stay where they are, and
everything else goes to a new level. It gives the reason for each object, what applying it
would change, and the findings of kubectl apf lint. It applies nothing.

The API server is asked whether the service accounts may use leases and events; without a
cluster, it is assumed that they do. The shares of the level are added, so other levels lose
seats, which are shown. No request of other users moves.

In an incident, --demote prints a flow schema and a level for the one user who takes the
seats, with the fewest seats and a short queue. Other users gain these seats. Users that the
cluster depends on are never demoted: the control plane, webhooks and aggregated servers,
accounts of kube-*, openshift-* and the usual namespaces of network and storage drivers, of
pods with a critical priority, and of drivers by their permissions. An account that may do
everything is not known by these.

-o yaml writes the objects, with the reasons as comments, and the changes to standard error.

The exit status is 1 if lint finds a warning or an error in the objects.`,
		examples: `# Isolate an operator that is installed
kubectl apf isolate --service-account=shop/default

# Apply the objects, and keep them in a repository
kubectl apf isolate --service-account=shop/default -o yaml > shop-default.yaml
kubectl apply -f shop-default.yaml

# Isolate an operator that is not installed, without a cluster
kubectl apf isolate --service-account=shop/default --offline --release=1.33

# Demote a user for an hour, and undo it
kubectl apf isolate --demote=jane@example.com -o yaml > demoted.yaml
kubectl apply -f demoted.yaml
kubectl delete flowschema,prioritylevelconfiguration demoted-jane-example-com

# Find out how many seats its requests in a trace need (NEEDS), and use that number
kubectl apf size --trace=shop.trace.gz -f shop-default.yaml
kubectl apf isolate --service-account=shop/default --seats=7`,
	}.command(i.run)
	flags := c.Flags()
	flags.StringArrayVar(&i.accounts, "service-account", nil, "A service account of the operator, NAMESPACE/NAME, or NAMESPACE/* for all of a namespace. It may be repeated: all get one level.")
	flags.StringVar(&i.name, "name", "", "The name of the level and of the flow schemas; by default the name of the service account.")
	flags.IntVar(&i.seats, "seats", 0, "The seats of the level on one API server; 0 for a thirtieth of all.")
	flags.StringVar(&i.demote, "demote", "", "A user to demote, such as system:serviceaccount:NAMESPACE:NAME.")
	flags.DurationVar(&i.lasting, "for", time.Hour, "How long the demotion should last. kubectl apf lint reports it afterwards.")
	i.addTo(c)
	return c
}

func (i *isolateCommand) run(ctx context.Context, _ []string) error {
	in, err := i.input(ctx)
	if err != nil {
		return err
	}
	result, err := isolate.Run(in)
	if err != nil {
		return err
	}
	if err := i.writeResult(result); err != nil {
		return err
	}
	return findingsIf(!result.IsClean())
}

// input reads what isolation needs.
func (i *isolateCommand) input(ctx context.Context) (in isolate.Input, err error) {
	in.Name, in.Seats, in.Now, in.Demote, in.For = i.name, i.seats, i.env.Clock.Now(), i.demote, i.lasting
	switch {
	case i.demote != "" && (len(i.accounts) > 0 || i.seats != 0):
		return in, errors.New("--demote excludes --service-account and --seats")
	case i.lasting <= 0:
		return in, fmt.Errorf("--for is %s: must be more than 0", i.lasting)
	case i.demote == "":
		if in.Accounts, err = i.serviceAccounts(); err != nil {
			return in, err
		}
	}
	var from source.Source
	if from, in.Configuration, err = i.read(ctx); err != nil {
		return in, err
	}
	in.May = func(account source.Account, what authorizationv1.ResourceAttributes) (bool, error) {
		return from.May(ctx, account, what)
	}
	in.Critical = func(account source.Account) (string, error) { return from.Critical(ctx, account) }
	if i.demote != "" && !i.offline && i.dumps == "" {
		in.Self, _, _ = i.whoAmI(ctx) // a server may not tell
	}
	in.Facts, err = from.Facts(ctx)
	return in, err
}

// serviceAccounts returns the service accounts of the flags, each once.
func (i *isolateCommand) serviceAccounts() ([]source.Account, error) {
	var accounts []source.Account
	seen := map[string]bool{}
	for _, text := range i.accounts {
		namespace, name, found := strings.Cut(text, "/")
		if !found || namespace == "" || name == "" || strings.Contains(name, "/") {
			return nil, fmt.Errorf("--service-account is %q: must be NAMESPACE/NAME", text)
		}
		if !seen[text] {
			seen[text] = true
			accounts = append(accounts, source.Account{Namespace: namespace, Name: name})
		}
	}
	switch {
	case len(accounts) == 0:
		return nil, errors.New("--service-account or --demote is required")
	case i.seats < 0:
		return nil, fmt.Errorf("--seats is %d: must not be negative", i.seats)
	default:
		return accounts, nil
	}
}

// writeResult writes the result, as YAML the objects alone.
func (i *isolateCommand) writeResult(r *isolate.Result) error {
	if i.output.format != formatYAML {
		return i.write(r)
	}
	text, err := r.Manifests()
	if err != nil {
		return err
	}
	if err := writeText(i.env.Out, text); err != nil {
		return err
	}
	return r.WriteEffect(i.env.ErrOut, table.Options{})
}

package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/why"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// whyCommand is "kubectl apf why".
type whyCommand struct {
	commonFlags
	query   why.Query
	logs    logFlags
	lease   string
	limits  why.LeaseLimits
	clients []string
	tenants rules.Tenants
}

// anyLease is the value of --lease without a name.
const anyLease = "*"

func newWhy(env Environment) *cobra.Command {
	w := &whyCommand{commonFlags: newCommonFlags(env)}
	c := page{
		use:   "why (--user USER | --flow-schema NAME | -f AUDIT.LOG | --lease[=NAMESPACE/NAME] LOGS)",
		short: "Say why requests were delayed or rejected",
		long: `kubectl apf why shows which requests were delayed or rejected, and why: the priority level
and queues, since when, how much they got compared with their fair share, and what to
change.

Events of an audit log are the best evidence. Without them, it uses the last 15 minutes
that flowcontrol-apiserver remembers, and the metrics of any API server.

With --lease it shows why a leader could not renew its lease in time: whether each request
waited for flow control, etcd, the API server or the client's own limit. The logs of the API
server show the first three, and --client-log the last one.

The exit status is 1 if requests were delayed or rejected, and 2 if there is no data about
the requests.`,
		examples: `# Explain why a user's requests were rejected
kubectl apf why --user=system:serviceaccount:shop:scaler

# Explain what happened to the requests of a flow schema
kubectl apf why --flow-schema=service-accounts

# Use an audit log and the flow schemas of a saved cluster
kubectl apf why -f audit.log --dumps=must-gather

# Explain why an operator lost its leader election, from logs of both sides
kubectl apf why --lease=shop/scaler -f audit.log --client-log=scaler.log

# Find the leases that were nearly lost
kubectl apf why --lease -f audit.log`,
	}.command(w.run)
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 1 && w.lease == anyLease { // --lease NAMESPACE/NAME, without an equals sign
			w.lease = args[0]
			return nil
		}
		return cobra.NoArgs(c, args)
	}
	c.Flags().StringVar(&w.query.User, "user", "", "Only requests of this user.")
	c.Flags().StringVar(&w.query.FlowSchema, "flow-schema", "", "Only requests of this flow schema.")
	c.Flags().IntVar(&w.query.Servers, "log-servers", 0, "The number of API servers whose requests are in the logs, if it is more than the logs name.")
	w.logs.addTo(c.Flags())
	c.Flags().StringArrayVarP(&w.logs.audit, "filename", "f", nil, "The same as --audit-log.")
	c.Flags().StringVar(&w.lease, "lease", "", "The lease of a leader election, NAMESPACE/NAME; without a value, all of them.")
	c.Flags().Lookup("lease").NoOptDefVal = anyLease
	c.Flags().DurationVar(&w.limits.Duration, "lease-duration", 0, "The lease duration of the client of --lease, 15s if it is 0.")
	c.Flags().DurationVar(&w.limits.Deadline, "renew-deadline", 0, "The renew deadline of the client of --lease, 10s if it is 0.")
	c.Flags().DurationVar(&w.limits.Period, "retry-period", 0, "The retry period of the client of --lease, 2s if it is 0.")
	c.Flags().StringArrayVar(&w.clients, "client-log", nil, "The log of the client of --lease. It may be repeated.")
	addTenantsTo(c, &w.tenants, tenantsSeen)
	w.addTo(c)
	return c
}

func (w *whyCommand) run(ctx context.Context, _ []string) error {
	if w.lease != "" {
		return w.ofLease(ctx)
	}
	if len(w.clients) > 0 || w.limits != (why.LeaseLimits{}) {
		return errors.New("--client-log, --lease-duration, --renew-deadline and --retry-period require --lease")
	}
	if w.query.User == "" && w.query.FlowSchema == "" && !w.logs.given() {
		return errors.New("--user, --flow-schema or a log (-f) is required")
	}
	if w.query.Servers < 0 {
		return fmt.Errorf("--log-servers is %d: must not be negative", w.query.Servers)
	}
	if err := checkTenants(w.tenants); err != nil {
		return err
	}
	from, c, err := w.read(ctx)
	if err != nil {
		return err
	}
	replicas, err := from.Replicas(ctx, source.Want{Metrics: true, Flows: true, Rejections: true, Required: !w.logs.given()})
	if err != nil {
		return err
	}
	c.Tenants = tenantsOf(w.tenants, replicas)
	inquiry := why.New(w.query, c, replicas, w.env.Clock.Now())
	notes, err := w.logs.read(ctx, w.env, inquiry.Survey, inquiry.Observe)
	if err != nil {
		return err
	}
	result := inquiry.Result()
	result.Notes = append(result.Notes, notes...)
	if why := result.WhyNothing(); why != "" {
		return errors.New(why)
	}
	if err := w.write(&result); err != nil {
		return err
	}
	return findingsIf(result.Affected())
}

// ofLease says why leases were not renewed in time.
func (w *whyCommand) ofLease(ctx context.Context) error {
	name := strings.TrimPrefix(w.lease, anyLease)
	if parts := strings.Split(name, "/"); name != "" && (len(parts) != 2 || parts[0] == "" || parts[1] == "") {
		return fmt.Errorf("--lease is %q: must be NAMESPACE/NAME", name)
	}
	if !w.logs.given() && len(w.clients) == 0 {
		return errors.New("--lease requires a log: -f or --http-log of API servers, --client-log of the client")
	}
	limits, err := w.leaseLimits()
	if err != nil {
		return err
	}
	_, c, err := w.read(ctx)
	if err != nil {
		return err
	}
	leases := why.NewLeases(name, limits, why.Place(c, w.env.Clock.Now()))
	clock, err := w.logs.clock(w.env)
	if err != nil {
		return err
	}
	for _, path := range w.clients {
		if err := readClient(ctx, w.env, path, logs.ClientReader{Clock: clock, Waited: leases.Wait, Lease: leases.Say}); err != nil {
			return err
		}
	}
	notes, err := w.logs.read(ctx, w.env, leases.Observe)
	if err != nil {
		return err
	}
	result := leases.Result()
	if len(result.Leases) == 0 && name != "" {
		return fmt.Errorf("no log has a request for lease %s, or a line about it: an audit policy may omit leases, and lines of -v=3 (--http-log) have them", name)
	}
	result.Notes = notes
	if err := w.write(&result); err != nil {
		return err
	}
	return findingsIf(result.Affected())
}

// leaseLimits returns the limits that the flags name, zero if they name none.
func (w *whyCommand) leaseLimits() (why.LeaseLimits, error) {
	limits, defaults := w.limits, why.DefaultLeaseLimits()
	if limits == (why.LeaseLimits{}) {
		return limits, nil
	}
	limits.Duration, limits.Deadline, limits.Period = cmp.Or(limits.Duration, defaults.Duration), cmp.Or(limits.Deadline, defaults.Deadline), cmp.Or(limits.Period, defaults.Period)
	if limits.Period <= 0 || limits.Deadline <= limits.Period || limits.Duration <= limits.Deadline {
		return limits, fmt.Errorf("--lease-duration %s must be more than --renew-deadline %s, and that more than --retry-period %s", limits.Duration, limits.Deadline, limits.Period)
	}
	return limits, nil
}

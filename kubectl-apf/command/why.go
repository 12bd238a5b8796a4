package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/why"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// whyCommand is "kubectl apf why".
type whyCommand struct {
	looking
	query   why.Query
	logs    []string
	tenants rules.Tenants
}

func newWhy(env Environment) *cobra.Command {
	w := &whyCommand{looking: newLooking(env)}
	c := page{
		use:   "why (--user USER | --flow-schema NAME | -f AUDIT.LOG)",
		short: "Say why requests were delayed or rejected",
		long: `kubectl apf why says which requests were delayed or rejected, and why: the priority level
and queues, since when, how much they got compared with their fair share, and what to
change.

Events of an audit log are the best evidence. Without them, it uses what
flowcontrol-apiserver remembers of the last 15 minutes, and the metrics of any API server.

The exit status is 1 if requests were delayed or rejected, and 2 if nothing is known of the
requests.`,
		examples: `# Say why a user's requests were rejected
kubectl apf why --user=system:serviceaccount:shop:scaler

# Say what happened to the requests of a flow schema
kubectl apf why --flow-schema=service-accounts

# Say what an audit log tells, by the flow schemas of a saved cluster
kubectl apf why -f audit.log --dumps=must-gather`,
	}.command(w.run)
	c.Flags().StringVar(&w.query.User, "user", "", "Only requests of this user.")
	c.Flags().StringVar(&w.query.FlowSchema, "flow-schema", "", "Only requests of this flow schema.")
	c.Flags().IntVar(&w.query.Servers, "log-servers", 1, "The number of API servers whose events the audit logs have.")
	c.Flags().StringArrayVarP(&w.logs, "filename", "f", nil, auditLogUsage)
	addTenantsTo(c, &w.tenants, tenantsSeen)
	w.addTo(c)
	return c
}

func (w *whyCommand) run(ctx context.Context, _ []string) error {
	if w.query.User == "" && w.query.FlowSchema == "" && len(w.logs) == 0 {
		return errors.New("--user, --flow-schema or -f must be given")
	}
	if err := checkTenants(w.tenants); err != nil {
		return err
	}
	from, c, err := w.read(ctx)
	if err != nil {
		return err
	}
	replicas, err := from.Replicas(ctx, source.Want{Metrics: true, Flows: true, Rejections: true, Required: len(w.logs) == 0})
	if err != nil {
		return err
	}
	c.Tenants = tenantsOf(w.tenants, replicas)
	inquiry := why.New(w.query, c, replicas, w.env.Clock.Now())
	notes, err := readAuditLogs(w.env, w.logs, inquiry.Observe)
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

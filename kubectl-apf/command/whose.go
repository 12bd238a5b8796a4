package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/explain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
)

// whoseCommand is "kubectl apf whose".
type whoseCommand struct {
	commonFlags
	response string
	auditLog string
}

func newWhose(env Environment) *cobra.Command {
	w := &whoseCommand{commonFlags: newCommonFlags(env)}
	c := page{
		use:   "whose (UID... | -f RESPONSE)",
		short: "Name the flow schema and the priority level behind response headers",
		long: `kubectl apf whose shows the flow schema and the priority level of the UIDs in the response
headers X-Kubernetes-PF-FlowSchema-UID and X-Kubernetes-PF-PriorityLevel-UID.

The exit status is 1 if no object has the UID, in the cluster or in the audit log.`,
		examples: `# Show the objects of two UIDs
kubectl apf whose f1737c3e-ea5c-480b-bfd3-50d7f014c50c 46c349c0-76fb-43ae-9b11-cd55db4a755e

# Show the objects in the headers of a response, including deleted objects
kubectl get pods -v=8 2>response.txt
kubectl apf whose -f response.txt --audit-log audit.log

# Show the flow schema of "retry-reason: due to server-side throttling" in the log of a client
kubectl apf whose -f operator.log`,
	}.command(w.run)
	c.Args = func(_ *cobra.Command, args []string) error {
		if (w.response == "") == (len(args) == 0) {
			return errors.New("UIDs are required, or -f with a file of response headers")
		}
		return nil
	}
	c.ValidArgsFunction = cobra.NoFileCompletions
	c.Flags().StringVarP(&w.response, "filename", "f", "", "A file with the headers of a response, as curl -i or kubectl -v=8 prints them, or the log of a client; - for standard input.")
	c.Flags().StringVar(&w.auditLog, "audit-log", "", "An audit log, to find deleted objects; - for standard input.")
	w.addTo(c)
	return c
}

func (w *whoseCommand) run(ctx context.Context, uids []string) error {
	if w.response != "" {
		err := readFile(ctx, w.env, w.response, func(in io.Reader) (err error) {
			var notes []string
			uids, notes, err = explain.UIDs(in)
			w.note(notes)
			if err != nil {
				return fmt.Errorf("%s: %w", w.response, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	var history *explain.History
	if w.auditLog != "" {
		history = &explain.History{}
		err := readFile(ctx, w.env, w.auditLog, func(in io.Reader) error {
			summary, err := logs.ReadAuditEvents(w.auditLog, in, history.Add)
			w.note(summary.Notes())
			return err
		})
		if err != nil {
			return err
		}
	}
	_, c, err := w.read(ctx)
	if err != nil {
		return err
	}
	if history == nil && !explain.HasUIDs(c) {
		return errors.New("no object here has a UID, so these cannot be resolved: use the cluster, its objects as kubectl get -o yaml prints them, or --audit-log")
	}
	objects := explain.FindUIDs(uids, c, history)
	if err := w.write(objects); err != nil {
		return err
	}
	return findingsIf(slices.ContainsFunc(objects, func(o explain.Object) bool { return o.State == explain.NotFound }))
}

// note writes sentences apart from the output, which has objects alone.
func (w *whoseCommand) note(notes []string) {
	for _, note := range notes {
		fmt.Fprintln(w.env.ErrOut, "Note:", note)
	}
}

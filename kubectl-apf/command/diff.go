package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/diff"
)

// diffCommand is "kubectl apf diff".
type diffCommand struct {
	commonFlags
	logs logFlags
}

func newDiff(env Environment) *cobra.Command {
	d := &diffCommand{commonFlags: newCommonFlags(env).withFiles("The files to compare with.")}
	c := page{
		use:   "diff (-f FILES | -k DIRECTORY)",
		short: "Say what a change of flow schemas and priority levels would do",
		long: `kubectl apf diff shows what would happen if files were applied: the requests that would
move to another flow schema, the flow schemas that would start or stop matching, and the
seats of each priority level before and after. It applies nothing.

Requests come from an audit log if you specify one. Otherwise they are all combinations
that the rules distinguish.

The exit status is 1 if something would change.`,
		examples: `# Show what applying a file would change in the cluster
kubectl apf diff -f flowschemas.yaml

# Use the requests that the cluster received
kubectl apf diff -f flowschemas.yaml --audit-log=audit.log

# Show what a file changes in the built-in configuration, without a cluster
kubectl apf diff -f flowschemas.yaml --offline --release=1.33`,
	}.command(d.run)
	c.Flags().StringArrayVar(&d.logs.audit, "audit-log", nil, auditLogUsage)
	d.addTo(c)
	return c
}

func (d *diffCommand) run(ctx context.Context, _ []string) error {
	if !d.hasFiles() {
		return errors.New("-f or -k is required: the files to compare with")
	}
	from, err := d.open()
	if err != nil {
		return err
	}
	files, err := from.Files()
	if err != nil {
		return err
	}
	existing, err := from.Below(ctx)
	if err != nil {
		return err
	}
	applied, err := files.Over(existing)
	if err != nil {
		return err
	}
	comparison := diff.New(existing, applied, d.env.Clock.Now())
	notes, err := d.logs.read(ctx, d.env, comparison.Observe)
	if err != nil {
		return err
	}
	result := comparison.Result()
	result.Notes = append(result.Notes, notes...)
	if err := d.write(&result); err != nil {
		return err
	}
	return findingsIf(result.Changes())
}

package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/diff"
)

// diffCommand is "kubectl apf diff".
type diffCommand struct {
	env      Environment
	looking  *looking
	output   output
	auditLog []string
}

func newDiff(env Environment) *cobra.Command {
	d := &diffCommand{env: env, looking: newLooking().withFiles("The files to compare with.")}
	c := page{
		use:   "diff (-f FILES | -k DIRECTORY)",
		short: "Say what a change of flow schemas and priority levels would do",
		long: `kubectl apf diff says what would happen if files were applied: the requests that
would move to another flow schema, the flow schemas that would stop or start to match,
and the seats of each priority level before and after. It applies nothing.

The requests come from an audit log if one is given. Otherwise they are all combinations
that the rules tell apart.

The exit status is 1 if something would change.`,
		examples: `# Say what applying a file would change in the cluster
kubectl apf diff -f flowschemas.yaml

# Say it for the requests that the cluster really gets
kubectl apf diff -f flowschemas.yaml --audit-log=audit.log

# Say what a file changes in the built-in configuration, without a cluster
kubectl apf diff -f flowschemas.yaml --offline --release=1.33`,
		rights: configurationRights(),
	}.command()
	c.Args = cobra.NoArgs
	c.RunE = func(c *cobra.Command, _ []string) error { return d.run(c.Context()) }
	c.Flags().StringArrayVar(&d.auditLog, "audit-log", nil, "An audit log, perhaps compressed with gzip or zstd; - for standard input. It may be repeated.")
	d.looking.addFlags(c.Flags())
	d.output.addFlag(c, formatJSON, formatYAML, formatWide, formatName)
	return c
}

func (d *diffCommand) run(ctx context.Context) error {
	if err := d.output.validate(); err != nil {
		return err
	}
	if !d.looking.hasFiles() {
		return errors.New("-f or -k must be given, the files to compare with")
	}
	after, err := d.looking.open(d.env)
	if err != nil {
		return err
	}
	before, err := d.looking.openWithoutFiles(d.env)
	if err != nil {
		return err
	}
	existing, err := before.Configuration(ctx)
	if err != nil {
		return err
	}
	applied, err := after.Configuration(ctx)
	if err != nil {
		return err
	}
	comparison := diff.New(existing, applied, d.env.Clock.Now())
	notes, err := readAuditLogs(d.env, d.auditLog, comparison.Observe)
	if err != nil {
		return err
	}
	result := comparison.Result()
	result.Notes = append(result.Notes, notes...)
	var names []string
	for _, object := range result.Objects {
		names = append(names, objectName(object.Kind, object.Name))
	}
	if err := d.output.write(d.env, &result, names); err != nil {
		return err
	}
	if result.Changes() {
		return errFindings
	}
	return nil
}

package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/record"
)

// recordCommand is "kubectl apf record".
type recordCommand struct {
	recordedLogs
	env           Environment
	looking       *looking
	output        traceFile
	anonymize     bool
	key           string
	configuration string
}

func newRecord(env Environment) *cobra.Command {
	r := &recordCommand{env: env, looking: newLooking().withFiles("that are laid over the configuration before it is written to --configuration-output.")}
	c := page{
		use:   "record (--audit-log LOG | --http-log LOG)... -o TRACE",
		short: "Record a trace of requests from audit logs and -v=3 logs",
		long: `kubectl apf record writes a trace of the requests in the logs of API servers: audit logs,
and the lines that they log for each request with -v=3. If both are given, a request in
both is one request. A log may be a file or a directory with files below it, compressed
with gzip or zstd, and as container runtimes, kubectl, journald or clouds carry it.

It says what the logs leave out, such as requests that an audit policy drops.

With --anonymize, names are replaced by pseudonyms that flow schemas still match. Then
--configuration-output writes the flow schemas and priority levels with the same
pseudonyms. Only for this it reads a cluster, files or saved answers.`,
		examples: `# Record the audit log of a server
kubectl apf record --audit-log=audit.log -o recorded.trace.gz

# Record the logs of the server that is called a, in directories
kubectl apf record --audit-log=a=/var/log/audit --http-log=a=/var/log/pods -o recorded.trace.zst

# Record a trace that others may read, and the configuration that fits it
kubectl apf record --audit-log=audit.log --anonymize -o hidden.trace.gz --configuration-output=hidden.yaml`,
		rights: configurationRights(),
	}.command()
	c.Args = cobra.NoArgs
	c.RunE = func(c *cobra.Command, _ []string) error { return r.run(c.Context()) }
	flags := c.Flags()
	r.addFlags(flags)
	flags.BoolVar(&r.anonymize, "anonymize", false, "Replace the names of users, groups, namespaces and objects by pseudonyms.")
	flags.StringVar(&r.key, "anonymize-key", "", "A file of the key of the pseudonyms, at least 16 bytes. It is created if it does not exist. Without it, a key is created and forgotten.")
	flags.StringVar(&r.configuration, "configuration-output", "", "Write the configuration with the same pseudonyms to this file.")
	r.output.addFlags(c)
	r.looking.addFlags(flags)
	return c
}

func (r *recordCommand) run(ctx context.Context) error {
	options, err := r.options()
	if err != nil {
		return err
	}
	if r.anonymize {
		if options.Pseudonyms, err = pseudonyms(r.key); err != nil {
			return err
		}
	}
	recording, err := record.New(ctx, options)
	if err != nil {
		return err
	}
	defer recording.Close()
	var configuration []byte
	if r.configuration != "" {
		if configuration, err = r.hiddenConfiguration(ctx, options.Pseudonyms); err != nil {
			return err
		}
	}
	if err := r.output.write(ctx, r.env, recording.Header(), recording.Each); err != nil {
		return err
	}
	if configuration != nil {
		return r.writeConfiguration(configuration)
	}
	return nil
}

// options returns what the flags say, without the pseudonyms.
func (r *recordCommand) options() (record.Options, error) {
	if !r.anonymize && (r.key != "" || r.configuration != "") {
		return record.Options{}, errors.New("--anonymize-key and --configuration-output need --anonymize")
	}
	if err := r.output.validate(); err != nil {
		return record.Options{}, err
	}
	if err := r.validateConfiguration(); err != nil {
		return record.Options{}, err
	}
	return r.recordedLogs.options(r.env)
}

package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/record"
)

// recordCommand is "kubectl apf record".
type recordCommand struct {
	logs   logFlags
	env    Environment
	output traceFile
}

func newRecord(env Environment) *cobra.Command {
	r := &recordCommand{env: env}
	c := page{
		use:   "record (--audit-log LOG | --http-log LOG)... -o TRACE",
		short: "Record a trace of requests from audit logs and -v=3 logs",
		long: `kubectl apf record writes a trace of the requests in the logs of API servers: audit logs,
and the lines that they log for each request with -v=3. If both are given, a request in
both is one request. A log may be a file or a directory with files below it, compressed
with gzip or zstd, and as container runtimes, kubectl, journald or clouds carry it.

It says what the logs leave out, such as requests that an audit policy drops.`,
		examples: `# Record the audit log of a server
kubectl apf record --audit-log=audit.log -o recorded.trace.gz

# Record the logs of the server that is called a, in directories
kubectl apf record --audit-log=a=/var/log/audit --http-log=a=/var/log/pods -o recorded.trace.zst`,
	}.command()
	c.Args = cobra.NoArgs
	c.RunE = func(c *cobra.Command, _ []string) error { return r.run(c.Context()) }
	r.logs.addFlags(c.Flags())
	r.output.addFlags(c)
	return c
}

func (r *recordCommand) run(ctx context.Context) error {
	if err := r.output.validate(); err != nil {
		return err
	}
	options, err := r.logs.options(r.env)
	if err != nil {
		return err
	}
	recording, err := record.New(ctx, options)
	if err != nil {
		return err
	}
	defer recording.Close()
	return r.output.write(ctx, r.env, recording.Header(), recording.Each)
}

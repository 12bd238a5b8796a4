package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/record"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// recordCommand is "kubectl apf record".
type recordCommand struct {
	env  Environment
	logs logFlags
	name string
}

func newRecord(env Environment) *cobra.Command {
	r := &recordCommand{env: env}
	c := page{
		use:   "record (--audit-log LOG | --http-log LOG)... -o TRACE",
		short: "Record a trace of requests from audit logs and -v=3 logs",
		long: `kubectl apf record writes a trace of the requests in the logs of API servers: audit logs,
and the lines that they log for each request with -v=3. An event and a line of the same
request become one. A log is a file or a directory with files below it, optionally
compressed with gzip or zstd, in the formats of container runtimes, kubectl, journald and
clouds.

It reports what the logs leave out, such as requests that an audit policy drops.`,
		examples: `# Record the audit log of a server
kubectl apf record --audit-log=audit.log -o recorded.trace.gz

# Record the logs of the server that is called a, in directories
kubectl apf record --audit-log=a=/var/log/audit --http-log=a=/var/log/pods -o recorded.trace.zst`,
	}.command(r.run)
	r.logs.addTo(c.Flags())
	c.Flags().StringVarP(&r.name, "output", "o", "", "The file of the trace, which must not exist. It is compressed if its name ends with .gz, .zst or .zstd.")
	return c
}

func (r *recordCommand) run(ctx context.Context, _ []string) error {
	if r.name == "" {
		return errors.New("-o is required: the file of the trace")
	}
	if _, err := os.Lstat(r.name); err == nil { // before long work
		return fmt.Errorf("%s: %w: remove it, or name another", r.name, fs.ErrExist)
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
	return r.write(ctx, recording)
}

// write writes the trace, and says what it has.
func (r *recordCommand) write(ctx context.Context, recording *record.Recording) error {
	if err := recording.Unfit(); err != nil {
		return err
	}
	header := recording.Header()
	file, err := trace.Create(r.name, header)
	if err != nil {
		return err
	}
	defer file.Abort()
	if err := recording.Each(ctx, file.Write); err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %d requests from %s to %s\n", r.name, header.Requests, header.Start.UTC().Format(time.RFC3339), header.End.UTC().Format(time.RFC3339))
	for _, note := range header.LeftOut.Notes {
		text.WriteString("Note: " + note + "\n")
	}
	return writeText(r.env.Out, text.String())
}

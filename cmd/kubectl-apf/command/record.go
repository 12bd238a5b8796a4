package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/httplog"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/record"
)

// recordCommand is "kubectl apf record".
type recordCommand struct {
	env           Environment
	looking       *looking
	output        traceFile
	audit, http   []string
	users         string
	from, to      string
	zone          string
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
	flags.StringArrayVar(&r.audit, "audit-log", nil, "An audit log, PATH or REPLICA=PATH, a file or a directory. It may be repeated.")
	flags.StringArrayVar(&r.http, "http-log", nil, "A log with -v=3 or more, as text or JSON, PATH or REPLICA=PATH, a file or a directory. It may be repeated.")
	flags.StringVar(&r.users, "users", "", "A file that names the users of requests in -v=3 logs by user agent and address.")
	flags.StringVar(&r.from, "from", "", "Leave out requests that arrived before this time, such as 2026-11-22T10:00:00Z.")
	flags.StringVar(&r.to, "to", "", "Leave out requests that arrived at this time or later.")
	flags.StringVar(&r.zone, "log-time-zone", "UTC", "The time zone of -v=3 logs as text, such as Europe/Berlin.")
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
	var o record.Options
	switch {
	case len(r.audit) == 0 && len(r.http) == 0:
		return o, errors.New("--audit-log or --http-log must be given")
	case !r.anonymize && (r.key != "" || r.configuration != ""):
		return o, errors.New("--anonymize-key and --configuration-output need --anonymize")
	}
	if err := r.output.validate(); err != nil {
		return o, err
	}
	if err := r.validateConfiguration(); err != nil {
		return o, err
	}
	zone, err := time.LoadLocation(r.zone)
	if err != nil {
		return o, fmt.Errorf("--log-time-zone is %q: must be a time zone, such as Europe/Berlin", r.zone)
	}
	// A log may be a little ahead of the clock here.
	o.Clock = httplog.Clock{Latest: r.env.Clock.Now().Add(24 * time.Hour), Zone: zone}
	if o.Audit, err = logsOf(r.audit); err != nil {
		return o, err
	}
	if o.HTTP, err = logsOf(r.http); err != nil {
		return o, err
	}
	if o.From, err = timeOf("--from", r.from); err != nil {
		return o, err
	}
	if o.To, err = timeOf("--to", r.to); err != nil {
		return o, err
	}
	if r.users != "" {
		if o.Users, err = record.ReadUsers(r.users); err != nil {
			return o, err
		}
	}
	return o, nil
}

func logsOf(texts []string) ([]record.Log, error) {
	var logs []record.Log
	for _, text := range texts {
		log, err := record.ParseLog(text)
		if err != nil {
			return nil, err
		}
		logs = append(logs, log)
	}
	return logs, nil
}

// timeOf returns the time of a flag; zero if it is empty.
func timeOf(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s is %q: must be a time, such as 2026-11-22T10:00:00Z", flag, text)
	}
	return at, nil
}

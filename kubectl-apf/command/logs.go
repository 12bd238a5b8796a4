package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/record"
)

// logFlags name logs of API servers, and what is read of them.
type logFlags struct {
	audit, http []string
	zone        string
}

func (l *logFlags) addTo(flags *pflag.FlagSet) {
	flags.StringArrayVar(&l.audit, "audit-log", nil, "An audit log, PATH or REPLICA=PATH, a file or a directory. It may be repeated.")
	flags.StringArrayVar(&l.http, "http-log", nil, "A log with -v=3 or more, as text or JSON, PATH or REPLICA=PATH, a file or a directory. It may be repeated.")
	flags.StringVar(&l.zone, "log-time-zone", "UTC", "The time zone of -v=3 logs as text, such as Europe/Berlin.")
}

// given reports whether a log is named.
func (l *logFlags) given() bool { return len(l.audit) > 0 || len(l.http) > 0 }

// options returns how to read the logs.
func (l *logFlags) options(env Environment) (o record.Options, err error) {
	if !l.given() {
		return o, errors.New("--audit-log or --http-log must be given")
	}
	// A log may be a little ahead of the clock here.
	o.Clock.Latest = env.Clock.Now().Add(24 * time.Hour)
	if o.Clock.Zone, err = time.LoadLocation(l.zone); err != nil {
		return o, fmt.Errorf("--log-time-zone is %q: must be a time zone, such as Europe/Berlin", l.zone)
	}
	if o.Audit, err = logsOf(l.audit); err != nil {
		return o, err
	}
	o.HTTP, err = logsOf(l.http)
	return o, err
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

// auditLogUsage is the usage of a flag that names audit logs of any servers.
const auditLogUsage = "An audit log, perhaps compressed with gzip or zstd; - for standard input. It may be repeated."

// readAuditLogs passes the requests of audit logs on, and returns sentences about what
// is wrong with the logs.
func readAuditLogs(env Environment, names []string, observe func(*logs.Request)) (notes []string, err error) {
	for _, name := range names {
		in, err := openFile(env, name)
		if err != nil {
			return nil, err
		}
		summary, err := logs.ReadEvents(name, in, func(r *logs.Request) error {
			observe(r)
			return nil
		})
		_ = in.Close()
		if err != nil {
			return nil, fmt.Errorf("reading an audit log: %w", err)
		}
		notes = append(notes, summary.Notes()...)
	}
	return notes, nil
}

// openFile opens a file, or standard input for "-".
func openFile(env Environment, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(env.In), nil
	}
	return os.Open(name)
}

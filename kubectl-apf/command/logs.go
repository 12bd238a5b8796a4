package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/plain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/record"
)

// logFlags name logs of API servers, and what is read of them.
type logFlags struct {
	audit, http []string
	zone        string
}

func (l *logFlags) addTo(flags *pflag.FlagSet) {
	flags.StringArrayVar(&l.audit, "audit-log", nil, "An audit log, PATH or REPLICA=PATH, a file, a directory, or - for standard input. It may be repeated.")
	flags.StringArrayVar(&l.http, "http-log", nil, "A log with -v=3 or more, as text or JSON, PATH or REPLICA=PATH, a file or a directory. It may be repeated.")
	flags.StringVar(&l.zone, "log-time-zone", "UTC", "The time zone of -v=3 logs as text, such as Europe/Berlin.")
}

// given reports whether a log is named.
func (l *logFlags) given() bool { return len(l.audit) > 0 || len(l.http) > 0 }

// options returns how to read the logs.
func (l *logFlags) options(env Environment) (o record.Options, err error) {
	if !l.given() {
		return o, errors.New("--audit-log or --http-log is required")
	}
	if o.Clock, err = l.clock(env); err != nil {
		return o, err
	}
	o.Stdin = env.In
	if o.Audit, err = logsOf(l.audit); err != nil {
		return o, err
	}
	o.HTTP, err = logsOf(l.http)
	return o, err
}

// clock returns the clock of lines of text.
func (l *logFlags) clock(env Environment) (c logs.Clock, err error) {
	c.Latest = env.Clock.Now().Add(24 * time.Hour) // a log may be a little ahead of the clock here
	if c.Zone, err = time.LoadLocation(l.zone); err != nil {
		return c, fmt.Errorf("--log-time-zone is %q: must be a time zone, such as Europe/Berlin", l.zone)
	}
	return c, nil
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
const auditLogUsage = "An audit log, a file or a directory, optionally compressed with gzip or zstd; - for standard input. It may be repeated."

// read passes the requests of the logs on, all of them to each function, and returns sentences about what
// the logs leave out. Without logs it does nothing.
func (l *logFlags) read(ctx context.Context, env Environment, observe ...func(*logs.Request)) (notes []string, err error) {
	if !l.given() {
		return nil, nil
	}
	options, err := l.options(env)
	if err != nil {
		return nil, err
	}
	recording, err := record.New(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("reading a log: %w", err)
	}
	defer recording.Close()
	for _, observe := range observe {
		if err := recording.Requests(ctx, func(r *logs.Request) error { observe(r); return nil }); err != nil {
			return nil, err
		}
	}
	return recording.Notes(), nil
}

// readFile reads a file, or standard input for "-", until the context ends.
func readFile(ctx context.Context, env Environment, name string, read func(io.Reader) error) error {
	if name == "-" {
		return read(plain.Until(ctx, env.In))
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	return read(plain.Until(ctx, file))
}

// readClient reads the log of a client.
func readClient(ctx context.Context, env Environment, name string, reader logs.ClientReader) error {
	return readFile(ctx, env, name, func(in io.Reader) error { return reader.Read(name, in) })
}

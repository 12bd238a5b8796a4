package command

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/record"
)

// logFlags name logs of API servers.
type logFlags struct {
	audit, http []string
	users       string
	zone        string
}

func (l *logFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&l.audit, "audit-log", nil, "An audit log, PATH or REPLICA=PATH, a file or a directory. It may be repeated.")
	flags.StringArrayVar(&l.http, "http-log", nil, "A log with -v=3 or more, as text or JSON, PATH or REPLICA=PATH, a file or a directory. It may be repeated.")
	flags.StringVar(&l.users, "users", "", "A file that names the users of requests in -v=3 logs by user agent and address.")
	flags.StringVar(&l.zone, "log-time-zone", "UTC", "The time zone of -v=3 logs as text, such as Europe/Berlin.")
}

// given reports whether a log is named.
func (l *logFlags) given() bool { return len(l.audit) > 0 || len(l.http) > 0 }

// options returns how to read the logs.
func (l *logFlags) options(now time.Time) (record.Options, error) {
	var o record.Options
	zone, err := time.LoadLocation(l.zone)
	if err != nil {
		return o, fmt.Errorf("--log-time-zone is %q: must be a time zone, such as Europe/Berlin", l.zone)
	}
	// A log may be a little ahead of the clock here.
	o.Clock = logs.Clock{Latest: now.Add(24 * time.Hour), Zone: zone}
	if o.Audit, err = logsOf(l.audit); err != nil {
		return o, err
	}
	if o.HTTP, err = logsOf(l.http); err != nil {
		return o, err
	}
	if l.users != "" {
		o.Users, err = record.ReadUsers(l.users)
	}
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

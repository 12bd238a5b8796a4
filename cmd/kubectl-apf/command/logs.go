package command

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/httplog"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/record"
)

// recordedLogs are the flags that name logs of API servers, and what is read of them.
type recordedLogs struct {
	audit, http []string
	users       string
	from, to    string
	zone        string
}

func (r *recordedLogs) addFlags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&r.audit, "audit-log", nil, "An audit log, PATH or REPLICA=PATH, a file or a directory. It may be repeated.")
	flags.StringArrayVar(&r.http, "http-log", nil, "A log with -v=3 or more, as text or JSON, PATH or REPLICA=PATH, a file or a directory. It may be repeated.")
	flags.StringVar(&r.users, "users", "", "A file that names the users of requests in -v=3 logs by user agent and address.")
	flags.StringVar(&r.from, "from", "", "Leave out requests that arrived before this time, such as 2026-11-22T10:00:00Z.")
	flags.StringVar(&r.to, "to", "", "Leave out requests that arrived at this time or later.")
	flags.StringVar(&r.zone, "log-time-zone", "UTC", "The time zone of -v=3 logs as text, such as Europe/Berlin.")
}

// given reports whether a log is named.
func (r *recordedLogs) given() bool { return len(r.audit) > 0 || len(r.http) > 0 }

// options returns what the flags say.
func (r *recordedLogs) options(env Environment) (record.Options, error) {
	var o record.Options
	if !r.given() {
		return o, errors.New("--audit-log or --http-log must be given")
	}
	zone, err := time.LoadLocation(r.zone)
	if err != nil {
		return o, fmt.Errorf("--log-time-zone is %q: must be a time zone, such as Europe/Berlin", r.zone)
	}
	// A log may be a little ahead of the clock here.
	o.Clock = httplog.Clock{Latest: env.Clock.Now().Add(24 * time.Hour), Zone: zone}
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

package command

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/record"
)

// recordedLogs are the flags that name logs of API servers, and what is read of them.
type recordedLogs struct {
	logFlags

	from, to string
}

func (r *recordedLogs) addFlags(flags *pflag.FlagSet) {
	r.logFlags.addFlags(flags)
	flags.StringVar(&r.from, "from", "", "Leave out requests that arrived before this time, such as 2026-11-22T10:00:00Z.")
	flags.StringVar(&r.to, "to", "", "Leave out requests that arrived at this time or later.")
}

// options returns what the flags say.
func (r *recordedLogs) options(env Environment) (record.Options, error) {
	if !r.given() {
		return record.Options{}, errors.New("--audit-log or --http-log must be given")
	}
	o, err := r.logFlags.options(env.Clock.Now())
	if err != nil {
		return o, err
	}
	if o.From, err = timeOf("--from", r.from); err != nil {
		return o, err
	}
	o.To, err = timeOf("--to", r.to)
	return o, err
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

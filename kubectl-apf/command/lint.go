package command

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/findings"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/record"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// lintCommand is "kubectl apf lint".
type lintCommand struct {
	commonFlags
	failOn  string
	logs    logFlags
	clients []string
}

func newLint(env Environment) *cobra.Command {
	l := &lintCommand{commonFlags: newCommonFlags(env).withFiles("The files to check, as if they were applied.")}
	c := page{
		use:   "lint [-f FILES | -k DIRECTORY]",
		short: "Find what is wrong or risky in flow schemas and priority levels",
		long: `kubectl apf lint finds what is wrong or risky in the flow schemas and priority levels of a
cluster. With files it checks their objects as if they were applied to the cluster, or
with --offline to a cluster that has only the built-in objects.

With logs of API servers it also checks clients: agents of nodes and leases in the wrong
level, client-side limits below flow control's, and clients of API versions that a release
of Kubernetes removes. --client-log is the log of a client, such as an operator, or a
webhook that fails to list FlowSchemas.

Each finding has a code, which docs/kubectl-apf-findings.md explains.

The exit status is 1 if a finding is at least as severe as --fail-on.`,
		examples: `# Check the configuration of the cluster
kubectl apf lint

# Check the files of a repository in CI, without a cluster, and fail on warnings too
kubectl apf lint -R -f manifests --offline --release=1.33 --fail-on=warning

# Find clients of API versions that a later release of Kubernetes removes
kubectl apf lint --audit-log=audit.log -o json | jq -r '.findings[] | select(.code == "FC605").message'

# Find out whether an operator still needs its own limit (--kube-api-qps)
kubectl apf lint --client-log=system:serviceaccount:shop:scaler=scaler.log --audit-log=audit.log

# Count the findings by code
kubectl apf lint -o json | jq -r '.findings[].code' | sort | uniq -c`,
	}.command(l.run)
	c.Flags().StringVar(&l.failOn, "fail-on", string(lint.Error), "The lowest severity that causes the exit status 1: error, warning or info.")
	l.logs.addTo(c.Flags())
	c.Flags().StringArrayVar(&l.clients, "client-log", nil, "The log of a client of API servers, PATH or USER=PATH. It may be repeated.")
	l.addTo(c)
	return c
}

func (l *lintCommand) run(ctx context.Context, _ []string) error {
	if !slices.Contains([]lint.Severity{lint.Error, lint.Warning, lint.Info}, lint.Severity(l.failOn)) {
		return fmt.Errorf("--fail-on is %q: must be error, warning or info", l.failOn)
	}
	in, err := l.input(ctx)
	if err != nil {
		return err
	}
	if err := l.addLogs(ctx, &in); err != nil {
		return err
	}
	unreadable := in.Files.Err()
	if unreadable != nil && len(in.Files.Objects) == 0 {
		return unreadable
	}
	result, err := findings.Of(in)
	if err != nil {
		return errors.Join(err, unreadable)
	}
	if err := l.write(&result); err != nil {
		return err
	}
	if unreadable != nil {
		return unreadable // the files that can be read have been judged
	}
	return findingsIf(result.Reaches(lint.Severity(l.failOn)))
}

// input reads the configuration, the files and the facts.
func (l *lintCommand) input(ctx context.Context) (in findings.Input, err error) {
	from, err := l.open()
	if err != nil {
		return in, err
	}
	if in.Below, err = from.Below(ctx); err != nil {
		return in, err
	}
	if in.Facts, err = from.Facts(ctx); err != nil {
		return in, err
	}
	in.Now = l.env.Clock.Now()
	in.Files, err = from.Files()
	return in, err
}

// addLogs adds the logs that the flags name. They are opened before long work.
func (l *lintCommand) addLogs(ctx context.Context, in *findings.Input) error {
	if !l.logs.given() && len(l.clients) == 0 {
		return nil
	}
	clients, err := logsOf(l.clients) // USER=PATH has the form of REPLICA=PATH
	if err != nil {
		return fmt.Errorf("--client-log: %w", err)
	}
	var options record.Options
	if l.logs.given() {
		if options, err = l.logs.options(l.env); err != nil {
			return err
		}
	}
	in.Read = func(traffic *findings.Traffic) ([]string, error) {
		for _, log := range clients {
			err := readClient(ctx, l.env, log.Path, logs.ClientReader{
				Waited: func(w logs.Wait) { traffic.Say(log.Path, log.Replica, &w) },
				Failed: func(f logs.FailedList) { traffic.FailedList(log.Path, log.Replica, f) },
				Lease:  func(l logs.LeaseLine) { traffic.Lease(log.Path, log.Replica, l) },
			})
			if err != nil {
				return nil, err
			}
		}
		if !l.logs.given() {
			return nil, nil
		}
		recording, err := record.New(ctx, options)
		if err != nil {
			return nil, err
		}
		defer recording.Close()
		header := recording.Header()
		return header.LeftOut.Notes, recording.Requests(ctx, func(r *logs.Request) error {
			traffic.Deprecated.Observe(r)
			traffic.Observe(&r.Request)
			return nil
		})
	}
	return nil
}

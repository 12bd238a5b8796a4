package command

import (
	"context"
	"fmt"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/findings"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/record"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// addLogs adds the logs that the flags name. They are opened before long work.
func (l *lintCommand) addLogs(ctx context.Context, in *findings.Input) error {
	if !l.logs.given() && len(l.clients) == 0 {
		return nil
	}
	options, err := l.logs.options(l.env.Clock.Now())
	if err != nil {
		return err
	}
	clients, err := clientLogs(l.clients)
	if err != nil {
		return err
	}
	in.Read = func(traffic *findings.Traffic) ([]string, error) {
		for _, log := range clients {
			if err := l.readClient(log, traffic); err != nil {
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
		return header.LeftOut.Notes, recording.EachFrom(ctx, func(r *trace.Request, address string) error {
			traffic.Observe(r, address)
			return nil
		})
	}
	return nil
}

// clientLogs reads USER=PATH or PATH, in the form that logs of servers have.
func clientLogs(texts []string) ([]record.Log, error) {
	logs, err := logsOf(texts)
	if err != nil {
		return nil, fmt.Errorf("--client-log: %w", err)
	}
	return logs, nil
}

func (l *lintCommand) readClient(log record.Log, traffic *findings.Traffic) error {
	in, err := openFile(l.env, log.Path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	return logs.ReadWaits(log.Path, in, func(w logs.Wait) { traffic.Say(log.Path, log.Replica, &w) })
}

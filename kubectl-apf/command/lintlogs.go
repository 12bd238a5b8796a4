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
		return header.LeftOut.Notes, recording.Each(ctx, func(r *trace.Request) error {
			traffic.Observe(r)
			return nil
		})
	}
	return nil
}

func (l *lintCommand) readClient(log record.Log, traffic *findings.Traffic) error {
	in, err := openFile(l.env, log.Path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	return logs.ReadWaits(log.Path, in, func(w logs.Wait) { traffic.Say(log.Path, log.Replica, &w) })
}

package command

import (
	"fmt"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
)

// readAuditLogs passes the requests of audit logs on, and returns sentences about what
// is wrong with the logs.
func readAuditLogs(env Environment, names []string, observe func(*logs.Event)) (notes []string, err error) {
	for _, name := range names {
		in, err := openFile(env, name)
		if err != nil {
			return nil, err
		}
		summary, err := logs.ReadEvents(name, in, func(e *logs.Event) error {
			observe(e)
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

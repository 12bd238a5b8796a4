package embedded

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

var errEndedEarly = errors.New("it ended before it was ready")

// failure keeps the first of the errors that end etcd.
type failure struct{ channel chan error }

func newFailure() *failure { return &failure{channel: make(chan error, 1)} }

func (f *failure) report(err error) {
	select {
	case f.channel <- err:
	default:
	}
}

// instead returns the reported error if there is one, and err otherwise.
func (f *failure) instead(err error) error {
	select {
	case reported := <-f.channel:
		return reported
	default:
		return err
	}
}

// entryError is a log entry with which etcd meant to end the process.
type entryError struct {
	message string
	values  []any
}

func (e *entryError) Error() string {
	var text strings.Builder
	text.WriteString(e.message)
	for i := 0; i+1 < len(e.values); i += 2 {
		fmt.Fprintf(&text, ", %v: %v", e.values[i], e.values[i+1])
	}
	return text.String()
}

// remedy is for data that etcd does not get on with.
const remedy = "if the data are damaged, restore the directory from a backup, or move it away to begin with an empty store"

// explainStart tells what etcd found wrong, and what to do.
func explainStart(directory string, err error) error {
	var newer *newerDataError
	switch {
	case errors.Is(err, context.Canceled), errors.As(err, &newer):
		return fmt.Errorf("embedded etcd on %s: %w", directory, err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("embedded etcd on %s: %w; see whether the disk is slow or full; %s", directory, err, remedy)
	default:
		return fmt.Errorf("embedded etcd on %s cannot start: %w; %s", directory, err, remedy)
	}
}

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/cli-runtime/pkg/resource"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/record"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
)

// defaultInterval is between two readings of a cluster.
const defaultInterval = 5 * time.Minute

// makeTrace makes a trace of logs, unless there is one, and returns what removes it.
func (s *sizeCommand) makeTrace(ctx context.Context) (remove func(), err error) {
	if s.trace == "" {
		return s.recordTemporary(ctx)
	}
	s.sized.Basis = baseName("a trace", s.trace)
	return func() {}, nil
}

// recordTemporary records the logs.
func (s *sizeCommand) recordTemporary(ctx context.Context) (remove func(), err error) {
	options, err := s.logs.options(s.env)
	if err != nil {
		return nil, err
	}
	recording, err := record.New(ctx, options)
	if err != nil {
		return nil, err
	}
	defer recording.Close()
	s.sized.Basis = "the requests in logs"
	return s.writeTemporary(ctx, recording.Header(), recording.Each)
}

// writeTemporary writes a trace to a temporary file.
func (s *sizeCommand) writeTemporary(ctx context.Context, header trace.Header, each func(context.Context, func(*trace.Request) error) error) (remove func(), err error) {
	directory, err := os.MkdirTemp("", "kubectl-apf-size-")
	if err != nil {
		return nil, err
	}
	remove = func() { _ = os.RemoveAll(directory) }
	s.trace = filepath.Join(directory, "trace.jsonl.zst")
	file, err := trace.Create(s.trace, false, header)
	if err == nil {
		defer file.Abort()
		if err = each(ctx, file.Write); err == nil {
			err = file.Commit()
		}
	}
	if err != nil {
		remove()
		return nil, err
	}
	return remove, nil
}

// scrapes are two readings of API servers.
type scrapes struct {
	before, after []replica.Replica
	configuration configuration.Configuration
}

// scrapes reads twice.
func (s *sizeCommand) scrapes(ctx context.Context) (*scrapes, error) {
	from, err := s.looking.open(s.env)
	if err != nil {
		return nil, err
	}
	want := source.Want{Required: true, Metrics: true}
	var two scrapes
	if s.before == "" {
		if s.interval == 0 {
			s.interval = defaultInterval
		}
		two.before, err = s.readAndWait(ctx, from, want)
	} else {
		two.before, err = s.readBefore(ctx, want)
	}
	if err != nil {
		return nil, err
	}
	if two.after, err = from.Replicas(ctx, want); err != nil {
		return nil, err
	}
	two.configuration, err = from.Configuration(ctx)
	return &two, err
}

// readAndWait reads a cluster, and waits for the time of the second reading.
func (s *sizeCommand) readAndWait(ctx context.Context, from source.Source, want source.Want) ([]replica.Replica, error) {
	states, err := from.Replicas(ctx, want)
	if err != nil {
		return nil, err
	}
	if !s.quiet {
		_, _ = io.WriteString(s.env.ErrOut, fmt.Sprintf("Read once. The second reading is in %s.\n", s.interval))
	}
	if !clock.Wait(ctx, s.env.Clock, s.interval) {
		return nil, errors.New("interrupted before the second reading: one reading has no rates")
	}
	return states, nil
}

// readBefore reads the earlier saved answers.
func (s *sizeCommand) readBefore(ctx context.Context, want source.Want) ([]replica.Replica, error) {
	earlier := *s.looking
	earlier.dumps = s.before
	from, err := earlier.openWith(s.env, resource.FilenameOptions{})
	if err != nil {
		return nil, err
	}
	states, err := from.Replicas(ctx, want)
	if err != nil {
		return nil, fmt.Errorf("--before: %w", err)
	}
	return states, nil
}

// notes returns sentences about what could not be read of the later scrape.
func (two *scrapes) notes() []string {
	var notes []string
	for i := range two.after {
		r := &two.after[i]
		for _, m := range r.Missing {
			notes = append(notes, strings.TrimSpace(r.Name+", "+m.What+": "+m.Why))
		}
	}
	return notes
}

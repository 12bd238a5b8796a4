package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/size"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/periodic"
)

// defaultInterval is between two readings of a cluster.
const defaultInterval = 5 * time.Minute

// sizeCommand is "kubectl apf size".
type sizeCommand struct {
	simulating
	commonFlags commonFlags
	before      string
	interval    time.Duration
	goals       []string
	sized       size.Options
}

func newSize(env Environment) *cobra.Command {
	s := &sizeCommand{simulating: simulating{env: env}, commonFlags: newCommonFlags(env).withFiles("that are merged over the configuration.")}
	c := page{
		use:   "size [--trace TRACE | --dumps LATER --before EARLIER]",
		short: "Say how many seats an API server needs, and whether it has enough",
		long: `kubectl apf size estimates how many seats an API server needs to meet goals, in total and
for each priority level, with a range, and the flags to set. It simulates requests from one
of these:

  a trace                   requests with their times, which kubectl apf record makes from
                            logs; no server is contacted. -f is the configuration, over the
                            built-in objects of --release
  two scrapes of /metrics   saved ones (--dumps and --before), or of the cluster now and
                            after --interval. Requests are generated from their rates and
                            histograms

A goal bounds waits or rejections: an assertion as of kubectl apf simulate. Without a scope it
holds for each priority level. docs/simulate.md explains the search and the range.

The exit status is 1 if there are not enough seats, or may not be.`,
		examples: `# Read the cluster twice, five minutes apart
kubectl apf size --interval=5m

# Compare two saved scrapes
kubectl apf size --dumps=must-gather-2 --before=must-gather-1

# Size for a trace, in the configuration of a cluster
kubectl get flowschemas,prioritylevelconfigurations -o yaml > cluster.yaml
kubectl apf size --trace=trace.jsonl -f cluster.yaml --total=600 --goal="wait.p99 < 50ms"`,
	}.command(s.run)
	s.addTo(c)
	f := c.Flags()
	f.StringVar(&s.before, "before", "", "A directory or archive of earlier saved API responses of the servers of --dumps.")
	f.DurationVar(&s.interval, "interval", 0, "The time between two scrapes of a cluster, by default 5m. With --before, the time between the saved scrapes, by default taken from their metrics, or from the dates of their files.")
	f.StringArrayVar(&s.goals, "goal", []string{"wait.p99 < 100ms", "rejected == 0"}, "An assertion that must hold. It may be repeated.")
	s.commonFlags.addTo(c)
	return c
}

func (s *sizeCommand) run(ctx context.Context, _ []string) error {
	if err := s.validate(); err != nil {
		return err
	}
	var err error
	if s.sized.Goals, err = parseAssertions("--goal", s.goals); err != nil {
		return err
	}
	sizing := s.ofScrapes
	if s.trace != "" {
		sizing = s.ofTrace
	}
	answer, err := sizing(ctx)
	if err != nil {
		return err
	}
	if err := s.commonFlags.write(answer); err != nil {
		return err
	}
	return findingsIf(answer.Enough != size.Yes)
}

// validate checks that the flags name one thing to size.
func (s *sizeCommand) validate() error {
	switch {
	case s.trace != "" && (s.before != "" || s.interval != 0):
		return errors.New("--before and --interval are about two scrapes, and not about a trace")
	case s.trace == "" && s.commonFlags.dumps != "" && s.before == "":
		return errors.New("one scrape has no rates: --before must name answers of the same API servers that were saved some minutes before --dumps")
	case s.before != "" && s.commonFlags.dumps == "":
		return errors.New("--before needs --dumps, the later answers")
	case s.trace == "" && s.commonFlags.offline:
		return errors.New("--offline requires --trace; kubectl apf record makes one")
	case s.interval < 0:
		return fmt.Errorf("--interval is %s: must be more than 0", s.interval)
	}
	return nil
}

// size sizes the requests of the options in a configuration.
func (s *sizeCommand) size(ctx context.Context, c configuration.Configuration) (*size.Size, error) {
	defer s.begin(ctx)()
	s.sized.Simulate, s.sized.Have, s.sized.Assumed = s.options, cmp.Or(c.Total, configuration.DefaultTotal), c.Total == 0
	return size.Run(ctx, s.sized, c)
}

// ofTrace sizes a trace.
func (s *sizeCommand) ofTrace(ctx context.Context) (*size.Size, error) {
	s.commonFlags.offline = s.commonFlags.dumps == ""
	_, c, err := s.commonFlags.read(ctx)
	if err != nil {
		return nil, err
	}
	s.sized.Basis = "a trace, " + filepath.Base(s.trace)
	answer, err := s.size(ctx, c)
	if err != nil {
		return nil, err
	}
	source, err := s.options.Open()
	if err != nil {
		return nil, err
	}
	answer.Notes = append(answer.Notes, source.Header().LeftOut.Notes...)
	return answer, source.Close()
}

// ofScrapes sizes requests with the rates between two scrapes.
func (s *sizeCommand) ofScrapes(ctx context.Context) (*size.Size, error) {
	from, c, err := s.commonFlags.read(ctx)
	if err != nil {
		return nil, err
	}
	want := source.Want{Required: true, Metrics: true}
	before, err := s.readBefore(ctx, from, want)
	if err != nil {
		return nil, err
	}
	after, err := from.Replicas(ctx, want)
	if err != nil {
		return nil, err
	}
	measured, err := size.Measure(before, after, s.interval, c)
	if err != nil {
		return nil, err
	}
	if c.Own && s.options.Engine == "" {
		s.options.Engine = simulate.APF
	}
	open, notes := measured.Generate()
	s.sized.Replicas, s.options.Replicas, s.options.Open = s.options.Replicas, len(measured.Servers), open
	missing := replica.MissingNotes(after, func(replica.Missing) bool { return true })
	s.sized.Notes = slices.Concat(notes, missing, c.Notes)
	s.sized.Basis = fmt.Sprintf("requests with the rates between two scrapes, %s apart%s", measured.Elapsed, measured.By)
	answer, err := s.size(ctx, c)
	if err != nil {
		return nil, err
	}
	measured.Widen(answer)
	return answer, nil
}

// readBefore returns the earlier scrape: saved API responses, or what the cluster says now. Then it waits
// for the time of the later one.
func (s *sizeCommand) readBefore(ctx context.Context, from source.Source, want source.Want) ([]replica.Replica, error) {
	if s.before != "" {
		commonFlags := s.commonFlags
		commonFlags.dumps = s.before
		earlier, err := commonFlags.open()
		if err != nil {
			return nil, err
		}
		states, err := earlier.Replicas(ctx, want)
		if err != nil {
			return nil, fmt.Errorf("--before: %w", err)
		}
		return states, nil
	}
	states, err := from.Replicas(ctx, want)
	if err != nil {
		return nil, err
	}
	s.interval = cmp.Or(s.interval, defaultInterval)
	if !s.quiet {
		fmt.Fprintf(s.env.ErrOut, "Read once. The second reading is in %s.\n", s.interval)
	}
	if !periodic.Wait(ctx, s.env.Clock, s.interval) {
		return nil, errors.New("interrupted before the second reading: one reading has no rates")
	}
	return states, nil
}

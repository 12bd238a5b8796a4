package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/size"
)

// sizeCommand is "kubectl apf size".
type sizeCommand struct {
	simulating
	looking  *looking
	logs     logFlags
	output   output
	before   string
	interval time.Duration
	goals    []string
	tiers    string
	tier     string
	sized    size.Options
}

func newSize(env Environment) *cobra.Command {
	s := &sizeCommand{simulating: simulating{env: env}, looking: newLooking().withFiles("that are laid over the configuration.")}
	c := page{
		use:   "size [--trace TRACE | --audit-log LOG | --http-log LOG | --dumps LATER --before EARLIER]",
		short: "Say how many seats an API server needs, and whether it has enough",
		long: `kubectl apf size says how many seats an API server needs for goals, in total and for each
priority level, with a range, and which flags or which tier of a managed control plane
give them. It is an answer of simulations, of one of these:

  a trace or logs           requests with their times; no server is asked. -f names the
                            configuration, over the built-in objects of --release
  two scrapes of /metrics   saved ones (--dumps and --before), or of the cluster now and
                            after --interval. They have rates and histograms: the
                            requests are generated from these

A goal bounds waits or rejections: an assertion as of kubectl apf simulate. Without a scope it
holds for each priority level. docs/simulate.md says how the search works, and what the
range means.

The exit status is 1 if there are not enough seats, or perhaps not.`,
		examples: `# Read the cluster twice, five minutes apart
kubectl apf size --interval=5m

# Compare two saved scrapes
kubectl apf size --dumps=must-gather-2 --before=must-gather-1

# Size for a trace, in the configuration of a cluster
kubectl get flowschemas,prioritylevelconfigurations -o yaml > cluster.yaml
kubectl apf size --trace=trace.jsonl -f cluster.yaml --total=600 --goal="wait.p99 < 50ms"

# Size for a tier
kubectl apf size --trace=trace.jsonl --release=1.33 --tier=eks-xl --goal="rejected == 0"`,
		rights: append(endpointRights(), configurationRights()...),
	}.command()
	c.Args = cobra.NoArgs
	c.RunE = func(c *cobra.Command, _ []string) error { return s.run(c.Context(), c.Flags().Changed("engine")) }
	s.addModelFlags(c)
	f := c.Flags()
	s.logs.addFlags(f)
	f.StringVar(&s.before, "before", "", "A directory or archive of earlier saved answers of the API servers of --dumps.")
	f.DurationVar(&s.interval, "interval", 0, "The time between two readings of a cluster, 5m if it is 0; with --before the time between the scrapes, or between the files if it is 0.")
	f.StringArrayVar(&s.goals, "goal", []string{"wait.p99 < 100ms", "rejected == 0"}, "An assertion that has to hold. It may be repeated.")
	f.StringVar(&s.tiers, "tiers", "", "A file of tiers that replaces the built-in ones.")
	f.StringVar(&s.tier, "tier", "", "The tier that the cluster has, instead of --total.")
	s.options.WarmUp = size.AutoWarmUp
	f.Lookup("warm-up").Usage = "How much of the beginning is simulated and not counted: a server that starts does not know which levels need seats. " +
		"Without the flag 30s, and at most a quarter of the time of the requests."
	s.looking.addFlags(f)
	s.output.addFlag(c, formatJSON, formatYAML, formatWide)
	return c
}

func (s *sizeCommand) run(ctx context.Context, engineGiven bool) error {
	if err := s.validate(); err != nil {
		return err
	}
	sizing := s.ofRequests
	if !s.hasRequests() {
		sizing = func(ctx context.Context) (*size.Size, error) { return s.ofScrapes(ctx, engineGiven) }
	}
	answer, err := sizing(ctx)
	if err != nil {
		return err
	}
	if err := s.output.write(s.env, answer, nil); err != nil {
		return err
	}
	if answer.Enough == size.No || answer.Enough == size.Uncertain {
		return errFindings
	}
	return nil
}

func (s *sizeCommand) hasRequests() bool { return s.trace != "" || s.logs.given() }

// validate checks the flags and completes the options.
func (s *sizeCommand) validate() error {
	if err := s.output.validate(); err != nil {
		return err
	}
	if err := s.complete(); err != nil {
		return err
	}
	if err := s.validateBasis(); err != nil {
		return err
	}
	var err error
	if s.sized.Goals, err = parseAssertions("--goal", s.goals); err != nil {
		return err
	}
	return s.chooseTiers()
}

// validateBasis checks that the flags name one thing to size.
func (s *sizeCommand) validateBasis() error {
	switch {
	case s.trace != "" && s.logs.given():
		return errors.New("--trace and the logs of --audit-log and --http-log exclude each other")
	case s.hasRequests() && (s.before != "" || s.interval != 0):
		return errors.New("--before and --interval are about two scrapes, and not about a trace or logs")
	case !s.hasRequests() && s.looking.dumps != "" && s.before == "":
		return errors.New("one scrape has no rates: --before must name answers of the same API servers that were saved some minutes before --dumps")
	case s.before != "" && s.looking.dumps == "":
		return errors.New("--before needs --dumps, the later answers")
	case !s.hasRequests() && s.looking.offline:
		return errors.New("--offline leaves nothing to size: --trace, --audit-log or --http-log must be given")
	case s.interval < 0:
		return fmt.Errorf("--interval is %s: must be more than 0", s.interval)
	}
	return nil
}

// chooseTiers sets the tiers and the one that the cluster has.
func (s *sizeCommand) chooseTiers() error {
	s.sized.Tiers = size.BuiltInTiers()
	if s.tiers != "" {
		var err error
		if s.sized.Tiers, err = size.ReadTiers(s.tiers); err != nil {
			return fmt.Errorf("--tiers: %w", err)
		}
	}
	if s.tier == "" {
		return nil
	}
	if s.looking.total != 0 {
		return errors.New("--tier and --total exclude each other")
	}
	tier, err := size.FindTier(s.sized.Tiers, s.tier)
	if err != nil {
		return fmt.Errorf("--tier: %w", err)
	}
	s.sized.Tier, s.looking.total = &tier, tier.Seats
	return nil
}

// size sizes the requests of the options in a configuration.
func (s *sizeCommand) size(ctx context.Context, c configuration.Configuration) (*size.Size, error) {
	defer collectLess()()
	progress := s.progress()
	defer progress.end()
	s.sized.Simulate, s.sized.Have = s.options, cmp.Or(c.Total, configuration.DefaultTotal)
	return size.Run(ctx, s.sized, c)
}

// ofRequests sizes a trace or logs.
func (s *sizeCommand) ofRequests(ctx context.Context) (*size.Size, error) {
	s.looking.offline = s.looking.dumps == ""
	from, err := s.looking.open(s.env)
	if err != nil {
		return nil, err
	}
	c, err := from.Configuration(ctx)
	if err != nil {
		return nil, err
	}
	remove, err := s.makeTrace(ctx)
	if err != nil {
		return nil, err
	}
	defer remove()
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
func (s *sizeCommand) ofScrapes(ctx context.Context, engineGiven bool) (*size.Size, error) {
	two, err := s.scrapes(ctx)
	if err != nil {
		return nil, err
	}
	measured, err := size.Measure(two.before, two.after, s.interval, two.configuration)
	if err != nil {
		return nil, err
	}
	if two.configuration.Own && !engineGiven {
		s.options.Engine = simulate.Ours
	}
	open, notes := measured.Generate(s.options.Seed)
	s.sized.Replicas, s.options.Replicas, s.options.Open = s.options.Replicas, len(measured.Servers), open
	s.sized.Notes = append(append(notes, two.notes()...), two.configuration.Notes...)
	s.sized.Basis = fmt.Sprintf("requests with the rates between two scrapes, %s apart", measured.Elapsed)
	answer, err := s.size(ctx, two.configuration)
	if err != nil {
		return nil, err
	}
	measured.Widen(answer, s.sized.Tiers)
	return answer, nil
}

// baseName names a file in the answer.
func baseName(kind, path string) string { return kind + ", " + filepath.Base(path) }

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/program"
)

// options are the flags.
type options struct {
	seed    uint64
	count   int
	dryRun  bool
	unit    bool
	state   string
	events  string
	timeout time.Duration
}

func main() {
	var o options
	flag.Uint64Var(&o.seed, "seed", 1, "`number` that picks the places")
	flag.IntVar(&o.count, "count", 20, "`number` of faults")
	flag.BoolVar(&o.dryRun, "dry-run", false, "list the faults, and run nothing")
	flag.BoolVar(&o.unit, "unit", false, "run no end-to-end tests")
	flag.StringVar(&o.state, "state", "", "`file` with the results so far, from which an interrupted run continues")
	flag.StringVar(&o.events, "events", ".cache/test/*.json", "`glob` of test events, which order the end-to-end packages, the quick ones first")
	flag.DurationVar(&o.timeout, "timeout", 15*time.Minute, "`time` for one fault")
	flag.Parse()
	program.Run(func(ctx context.Context) error { return run(ctx, o) })
}

func run(ctx context.Context, o options) error {
	if flag.NArg() > 0 {
		return fmt.Errorf("%q is no flag", flag.Arg(0))
	}
	tree, err := loadTree(ctx, "")
	if err != nil {
		return err
	}
	mutants, err := findMutants(tree)
	if err != nil {
		return err
	}
	choice := newChoice(o.seed, mutants)
	if o.dryRun {
		for range o.count {
			m, ok := choice.next()
			if !ok {
				break
			}
			fmt.Printf("%s, %s\n%s\n", m.place(), m.kind, m.diff(3))
			choice.keep(m)
		}
		return nil
	}
	state, err := openState(o.state, o.seed)
	if err != nil {
		return err
	}
	scratch, err := newScratch(ctx, tree.root, !o.unit)
	if err != nil {
		return err
	}
	defer scratch.remove()
	return runTrials(ctx, o, tree, choice, state, scratch)
}

// runTrials tries mutants until count of them compile.
func runTrials(ctx context.Context, o options, tree *tree, choice *choice, state *state, scratch *scratch) error {
	table := newTable(os.Stdout, o)
	defer table.end()
	runner := &trialRunner{tree: tree, scratch: scratch, options: o, e2e: e2ePackages(tree, o.events)}
	for range o.count {
		for {
			m, ok := choice.next()
			if !ok {
				return nil
			}
			result, known := state.of(m)
			if !known {
				begin := time.Now()
				var err error
				if result, err = runner.try(ctx, m); err != nil {
					return fmt.Errorf("%s: %w; what is done so far is in the table, and in -state if that is given", m.place(), err)
				}
				result.Seconds = time.Since(begin).Seconds()
				if err := state.add(m, result); err != nil {
					return err
				}
			}
			if result.Outcome == outcomeDoesNotCompile {
				continue
			}
			choice.keep(m)
			table.add(m, result)
			break
		}
	}
	return nil
}

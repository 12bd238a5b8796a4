package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/top"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/periodic"
)

// topCommand is "kubectl apf top".
type topCommand struct {
	commonFlags
	options  top.Options
	watch    bool
	interval time.Duration
	web      bool
	port     int
	view     topView
}

// topView is what top shows.
type topView struct {
	name   string
	orders []string
	want   source.Want
	// rates reports whether figures need two readings.
	rates  bool
	answer func(now, before []replica.Replica, options top.Options) (answer, error)
}

func topViews() []topView {
	return []topView{
		{
			name: "levels", orders: top.LevelOrders(), want: source.Want{Required: true, Metrics: true, Levels: true, Requests: true}, rates: true,
			answer: func(now, before []replica.Replica, options top.Options) (answer, error) {
				return top.OfLevels(now, before, options)
			},
		},
		{
			name: "flows", orders: top.FlowOrders(), want: source.Want{Required: true, Flows: true, Requests: true},
			answer: func(now, _ []replica.Replica, options top.Options) (answer, error) { return top.OfFlows(now, options) },
		},
		{
			name: "requests", orders: top.RequestOrders(), want: source.Want{Required: true, Requests: true},
			answer: func(now, _ []replica.Replica, options top.Options) (answer, error) {
				return top.OfRequests(now, options)
			},
		},
	}
}

func newTop(env Environment) *cobra.Command {
	t := &topCommand{commonFlags: newCommonFlags(env)}
	c := page{
		use:   "top [levels|flows|requests]",
		short: "Show who holds the seats",
		long: `kubectl apf top shows who holds the seats of the API server now, for all replicas together.

  levels     for each priority level the seats in use, the current and the nominal
             limit, waiting requests, the oldest of them, and rejections per second
             (from two samples; the rest is shown at once)
  flows      for each flow the seat-seconds of the last minute (flowcontrol-apiserver
             only), and its current seats, requests and waits
  requests   each executing or waiting request

With --web it serves a page with the levels over the last minutes and the heaviest
flows, on the loopback of this machine.`,
		examples: `# Show the priority levels
kubectl apf top

# Show the heaviest flows, and refresh every 5 seconds
kubectl apf top flows --watch --interval=5s --limit=20

# Show the requests that have waited longest
kubectl apf top requests --sort=wait -o wide

# Show charts and tables in a browser
kubectl apf top --web`,
	}.command(t.run)
	var names, orders []string
	for _, view := range topViews() {
		names = append(names, view.name)
		orders = append(orders, view.name+": "+strings.Join(view.orders, ", "))
	}
	c.Args = cobra.MaximumNArgs(1)
	c.ValidArgs = names
	t.addTo(c)
	c.Flags().BoolVarP(&t.watch, "watch", "w", false, "Refresh until interrupted.")
	c.Flags().DurationVar(&t.interval, "interval", 2*time.Second, "The time between two samples. If 0, levels are read once, without rates.")
	c.Flags().StringVar(&t.options.Sort, "sort", "", "The order of the rows, by default the first of "+strings.Join(orders, "; ")+".")
	c.Flags().IntVar(&t.options.Limit, "limit", 0, "The largest number of rows. If 0, there is no limit, and with --web one of 500 flows.")
	c.Flags().BoolVar(&t.web, "web", false, "Serve a page with charts and tables on the loopback, until interrupted.")
	c.Flags().IntVar(&t.port, "port", 0, "The port of --web. If 0, a free one is chosen.")
	return c
}

// complete checks the flags, and sets the view.
func (t *topCommand) complete(args []string) error {
	views := topViews()
	t.view = views[0]
	if len(args) > 0 {
		at := slices.IndexFunc(views, func(v topView) bool { return v.name == args[0] })
		if at < 0 {
			return fmt.Errorf("top shows levels, flows or requests, not %q", args[0])
		}
		t.view = views[at]
	}
	switch {
	case t.interval < 0:
		return fmt.Errorf("--interval is %s: must not be negative", t.interval)
	case t.interval == 0 && t.watch:
		return errors.New("--interval is 0s: must be more than 0 with --watch")
	}
	// A cluster is asked for as little as possible; of saved API responses, queues may be all there is.
	t.view.want.Queues = t.view.rates && t.dumps != ""
	if _, err := t.view.answer(nil, nil, t.options); err != nil {
		return err
	}
	if t.web {
		return t.checkWeb(args)
	}
	if t.port != 0 {
		return errors.New("--port is the port of --web: give both, or none")
	}
	return nil
}

func (t *topCommand) run(ctx context.Context, args []string) error {
	if err := t.complete(args); err != nil {
		return err
	}
	from, err := t.open()
	if err != nil {
		return err
	}
	if t.web {
		return t.serve(ctx, from)
	}
	if t.watch {
		return t.redraw(ctx, from)
	}
	now, err := t.read(ctx, from)
	if err != nil {
		return err
	}
	if !t.view.rates || t.interval == 0 || t.dumps != "" {
		return t.show(now, nil)
	}
	return t.showTwice(ctx, from, now)
}

// showTwice shows what was read, and again with rates after another reading. A terminal gets the first answer
// at once, which the second one replaces.
func (t *topCommand) showTwice(ctx context.Context, from source.Source, before []replica.Replica) error {
	lines := 0
	if width := t.env.Width(); width > 0 && (t.output.format == "" || t.output.format == formatWide) {
		var first bytes.Buffer
		out := t.env.Out
		t.env.Out = &first
		err := t.show(before, nil)
		t.env.Out = out
		if err = errors.Join(err, writeText(out, first.String())); err != nil {
			return err
		}
		for line := range strings.Lines(first.String()) {
			lines += 1 + max(0, utf8.RuneCountInString(line)-2)/width
		}
	}
	now := before
	switch {
	case periodic.Wait(ctx, t.env.Clock, t.interval):
		var err error
		if now, err = t.read(ctx, from); err != nil {
			return err
		}
	case lines > 0:
		return nil
	default:
		before = nil
	}
	if lines > 0 {
		if err := t.env.control(fmt.Sprintf(replaceLines, lines)); err != nil {
			return err
		}
	}
	return t.show(now, before)
}

// read reads the replicas. It is an error if none of them tells what the view shows.
func (t *topCommand) read(ctx context.Context, from source.Source) ([]replica.Replica, error) {
	replicas, err := from.Replicas(ctx, t.view.want)
	if err != nil {
		return nil, err
	}
	if why := top.WhyNothing(replicas, t.view.want.Endpoints()...); why != "" {
		return nil, errors.New(why)
	}
	return replicas, nil
}

// redraw reads and writes repeatedly, until the context ends.
func (t *topCommand) redraw(ctx context.Context, from source.Source) error {
	var before []replica.Replica
	for ctx.Err() == nil {
		now, err := t.read(ctx, from)
		if err != nil {
			return unlessInterrupted(ctx, err)
		}
		if err := t.show(now, before); err != nil {
			return err
		}
		before = now
		periodic.Wait(ctx, t.env.Clock, t.interval)
	}
	return nil
}

// unlessInterrupted returns the error of a reading, but nil if the context has ended.
func unlessInterrupted(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil
	}
	return err
}

func (t *topCommand) show(now, before []replica.Replica) error {
	a, err := t.view.answer(now, before, t.options)
	if err != nil {
		return err
	}
	if t.watch && t.env.Width() > 0 {
		if err := t.env.control(clearTerminal); err != nil {
			return err
		}
	}
	return t.write(a)
}

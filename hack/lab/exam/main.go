// Command exam examines how an API server behaves under overload. It needs a kubeconfig and two minutes.
//
// Small clients, the mice, read one object at a steady pace: alone, beside 1, 30 and 150 greedy clients, the
// elephants, beside users whose names come and go, beside 50 wide lists, and beside clients that leave before
// they are answered. Service accounts of one namespace compete with a neighbour in another. A burst is sent
// at once, and its clients obey Retry-After as client-go does. Holders renew leases all the time.
//
// Users are impersonated. They read a namespace that the exam makes and deletes, or, on a server without
// namespaces, an object that is there. The exam stops by itself when a probe of /livez is late or fails, sends
// no more requests a second than -rate, and rejects a server that is not on loopback without --i-own-this-cluster.
//
// It prints a table of marks. The exit status is 0 if a question is good or weak and none failed, 1 if one
// failed, if the exam stopped early, or if the server was never busy, and 2 if the exam could not begin.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// options are the flags.
type options struct {
	server, kubeconfig, groups, json, picture string
	own, demo                                 bool
	plan                                      plan
}

// Exit statuses.
const (
	exitPassed, exitFailed, exitUnable = 0, 1, 2
)

func main() {
	o := options{}
	flag.StringVar(&o.server, "server", "", "URL of the server; empty: the one of the kubeconfig")
	flag.StringVar(&o.kubeconfig, "kubeconfig", os.Getenv("KUBECONFIG"), "kubeconfig of a user who may impersonate users and, if the server has namespaces, make one")
	flag.IntVar(&o.plan.rate, "rate", 300, "requests within any second at most")
	flag.StringVar(&o.plan.get, "path", "", "path of the object that small clients read; empty: one in a namespace of the exam")
	flag.StringVar(&o.plan.heavy, "elephant-path", "", "path that greedy clients read; empty: the list of these objects")
	flag.StringVar(&o.plan.probe, "probe", "/livez", "path of an exempt request")
	flag.DurationVar(&o.plan.late, "late", 3*time.Second, "stop when the probe takes longer")
	flag.StringVar(&o.groups, "group", "", "further groups of the impersonated users, with commas between them")
	flag.BoolVar(&o.own, "i-own-this-cluster", false, "examine a server that is not on loopback")
	flag.StringVar(&o.json, "json", "", "file for the result as JSON")
	flag.StringVar(&o.picture, "picture", "", "file for the result as SVG")
	flag.BoolVar(&o.demo, "demo", false, "examine nothing; show on this project's server what flow control does, and draw it if there is -picture")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status, err := o.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "exam: %v\n", err)
	}
	os.Exit(status)
}

func (o options) run(ctx context.Context) (status int, err error) {
	if o.demo {
		err := harness.Own(ctx, func(owner *harness.Owner) { demonstrate(owner, o.picture) })
		if err != nil {
			return exitUnable, err
		}
		return exitPassed, nil
	}
	config, err := o.config()
	if err != nil {
		return exitUnable, err
	}
	r, err := o.examine(ctx, config)
	if err != nil {
		return exitUnable, err
	}
	fmt.Print(r.table())
	if o.json != "" {
		err = r.writeJSON(o.json)
	}
	if o.picture != "" {
		err = errors.Join(err, r.draw(o.picture))
	}
	switch {
	case err != nil:
		return exitUnable, err
	case !r.passed():
		return exitFailed, nil
	}
	return exitPassed, nil
}

// config is for the server of the flags.
func (o options) config() (*rest.Config, error) {
	if o.kubeconfig == "" {
		return nil, errors.New("-kubeconfig or KUBECONFIG is required")
	}
	config, err := clientcmd.BuildConfigFromFlags(o.server, o.kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", o.kubeconfig, err)
	}
	return config, guard(config.Host, o.own)
}

// examine prepares the server, takes the exam, and removes what it made.
func (o options) examine(ctx context.Context, config *rest.Config) (r report, err error) {
	p := o.plan
	if o.groups != "" {
		p.groups = strings.Split(o.groups, ",")
	}
	target, err := traffic.TargetOf(config)
	if err != nil {
		return r, err
	}
	defer target.Close()
	pl, err := prepare(ctx, config, &p)
	if pl != nil {
		defer func() { err = errors.Join(err, pl.remove(context.WithoutCancel(ctx))) }()
	}
	if err != nil {
		return r, err
	}
	t, err := p.take(ctx, target, func(scene string) { fmt.Fprintln(os.Stderr, "exam:", scene) })
	if err != nil {
		return r, err
	}
	return reportOf(config.Host, p, t), nil
}

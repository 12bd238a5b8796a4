package command

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/dashboard"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

const (
	// loopback is the only address of the page: it shows what the user's credentials read.
	loopback = "127.0.0.1"
	// pageFlows is the largest number of flows on the page, unless --limit is given.
	pageFlows = 500
)

// checkWeb returns an error if another flag means that there is no page to serve.
func (t *topCommand) checkWeb(args []string) error {
	switch {
	case len(args) > 0:
		return fmt.Errorf("--web shows levels and flows on one page: leave out %q", args[0])
	case t.watch, t.output.format != "", t.options.Sort != "":
		return errors.New("--web cannot be combined with --watch, --output or --sort: the page refreshes itself, and sorts by the column that you choose there")
	case t.dumps != "", t.offline:
		return errors.New("--web shows what a cluster does now: it cannot be combined with --dumps or --offline")
	case t.interval == 0:
		return errors.New("--interval is 0s: must be more than 0 with --web")
	case t.port < 0 || t.port > 65535:
		return fmt.Errorf("--port is %d: must be from 0 to 65535", t.port)
	}
	return nil
}

// serve serves the page until the context ends.
func (t *topCommand) serve(ctx context.Context, from source.Source) error {
	config, err := t.cluster.ToRESTConfig()
	if err != nil {
		return err
	}
	page := dashboard.New(from, dashboard.Options{
		Name: config.Host, Interval: t.interval, Flows: cmp.Or(t.options.Limit, pageFlows), Clock: t.env.Clock,
	})
	if err := page.Read(ctx); err != nil {
		return unlessInterrupted(ctx, err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(loopback, strconv.Itoa(t.port)))
	if err != nil {
		return fmt.Errorf("--port: %w; without --port, a free one is chosen", err)
	}
	token := rand.Text()
	if err := writeText(t.env.Out, fmt.Sprintf("Serving until interrupted, for this machine only, with the permissions of your kubeconfig:\nhttp://%s/%s/\n", listener.Addr(), token)); err != nil {
		return err
	}
	return serveUntilDone(ctx, listener, page, token)
}

// serveUntilDone reads and serves until the context ends.
func serveUntilDone(ctx context.Context, listener net.Listener, page *dashboard.Dashboard, token string) error {
	server := &http.Server{Handler: page.Handler(token), ReadHeaderTimeout: 10 * time.Second}
	var reader sync.WaitGroup
	defer reader.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reader.Go(func() { page.Run(ctx) })
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

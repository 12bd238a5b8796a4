// Command adoption measures six API servers that other projects maintain, with the flow control of
// pkg/apf, with k8s.io/apiserver's, and without. Each runs behind a real kube-apiserver with the
// permissions of its own manifests. The servers are modules below test/adoption, each with the
// programs plain (the server as it is), library and fair.
//
// The elephant is one service account with 100 connections, which pause only when Retry-After asks for it. The mice are
// six service accounts, each with a request every 150 ms, whether or not it has got an answer. Both send their requests through
// kube-apiserver. The cases of a round come in turns: the mice alone, and then beside the elephant
// without flow control, with the library's, and with pkg/apf's.
//
// The program fails if pkg/apf raises a module, if a server with it needs a further
// permission to become ready, or if a request of a mouse fails. The tables go to stdout and
// docs/evidence/adoption.md. A server takes about eight minutes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/program"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

func main() {
	name := flag.String("server", "", "the server: "+strings.Join(names(), ", "))
	rounds := flag.Int("rounds", 6, "how often each case is measured")
	output := flag.String("output", filepath.Join("docs", "evidence", "adoption.md"), "file whose tables are written, from the top of the repository")
	only := flag.Bool("build", false, "only build the programs")
	flag.Parse()
	program.Run(func(ctx context.Context) error {
		s, err := find(*name)
		if err != nil {
			return err
		}
		if *only {
			return s.build(ctx)
		}
		return s.run(ctx, *rounds, *output)
	})
}

func names() (names []string) {
	for _, s := range servers() {
		names = append(names, s.name)
	}
	return names
}

func find(name string) (server, error) {
	index := slices.IndexFunc(servers(), func(s server) bool { return s.name == name })
	if index < 0 {
		return server{}, fmt.Errorf("no server %q: -server is one of %s", name, strings.Join(names(), ", "))
	}
	return servers()[index], nil
}

func (s server) build(ctx context.Context) error {
	m, err := s.module()
	if err != nil {
		return err
	}
	return m.build(ctx)
}

func (s server) run(ctx context.Context, rounds int, output string) error {
	var result result
	if err := harness.Own(ctx, func(o *harness.Owner) { result = s.measure(o, rounds) }); err != nil {
		return err
	}
	if err := result.publish(output); err != nil {
		return err
	}
	for _, fault := range result.faults() {
		fmt.Fprintln(os.Stderr, fault)
	}
	if len(result.faults()) > 0 {
		return fmt.Errorf("%s: %d promises are broken", s.name, len(result.faults()))
	}
	return nil
}

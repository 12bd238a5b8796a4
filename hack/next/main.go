// Command next tells what a release of k8s.io asks of this project, and proves the release as
// a base:
//
//	go run ./hack/next -release=0.38.0-alpha.2 [-print]
//
// It compares the release with the newest base that hack/base.sh knows below it, in their sources:
// filters, feature gates, flags, packages that are gone. It makes the base, compiles and
// tests this server on it, and lists the places that do not name the release yet. A step that fails
// does not keep others from running. -print leaves out what compiles and tests.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/program"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// next is one run.
type next struct {
	root string
	out  io.Writer
	// named is what the user typed; release and previous are what it means, and the base below.
	named             string
	release, previous base
	printOnly         bool
	// environment is added for every command.
	environment []string
	// before and after are the folders of the modules, by path.
	before, after map[string]string
}

func main() {
	n := &next{out: os.Stdout}
	flag.StringVar(&n.named, "release", "", "the release of k8s.io: a version, such as 0.38.0-alpha.2, or a row of hack/base.sh, such as 0.37; required")
	flag.BoolVar(&n.printOnly, "print", false, "only make the base and print: neither compile nor test")
	flag.Parse()
	n.named = strings.TrimPrefix(n.named, "v")
	program.Run(n.run)
}

func (n *next) run(ctx context.Context) (err error) {
	if n.root, err = binaries.Root(); err != nil {
		return err
	}
	if n.release, n.previous, err = findBases(n.root, n.named); err != nil {
		return err
	}
	fmt.Fprintf(n.out, "k8s.io %s, after %s\n", n.release.version, n.previous.version)
	failed := perform(ctx, n.out, n.steps())
	if err := n.printPlaces(); err != nil {
		return err
	}
	if len(failed) > 0 {
		return fmt.Errorf("not done: %s: what to do is printed above", strings.Join(failed, ", "))
	}
	return ctx.Err()
}

func (n *next) steps() []step {
	all := []step{
		{"sources", "", "", n.download},
		{"filters", "sources", "One that is new needs a row in pkg/server/handlerchain.go, or a reason in TestChainIsTheLibrarysWithOurFilters.", n.printFilters},
		{"feature gates", "sources", "Code that names one that is gone asks pkg/server/gates. One that is on now acts here too.", n.printGates},
		{"flags", "sources", "Each needs an effect, or is rejected: see cmd/flowcontrol-apiserver/app/effects_test.go.", n.printFlags},
		{"packages that are gone", "sources", "Their importers need a file with build tags, and one in a folder _base.", n.printPackages},
		{"base", "sources", "", n.makeBase},
	}
	if n.printOnly {
		return all
	}
	return append(all,
		n.target("verify-base", "what differs belongs into files of folders _base, see docs/design/base.md"),
		n.target("test-unit", "the library does something else: follow it in a file of _base, or say in the test what the release changed"),
		n.target("conformance", "mend the difference, or give its reason in docs/evidence/conformance.md"),
	)
}

// makeBase leaves it to the script to say what to do.
func (n *next) makeBase(ctx context.Context) error {
	_, err := n.output(ctx, n.root, "hack/base.sh", n.named)
	return err
}

// target is the step of a target of the Makefile on the base, with what to do if it fails.
func (n *next) target(name, advice string) step {
	return step{"make " + name, "base", "", func(ctx context.Context) error {
		if err := n.command(ctx, n.root, "make", name, "K8S="+n.named); err != nil {
			return fmt.Errorf("%w: %s", err, advice)
		}
		return nil
	}}
}

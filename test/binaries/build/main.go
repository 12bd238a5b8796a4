// Command build builds every program that the tests run, so that no test waits for a compiler. With
// -long it also builds the long lane's, and with names of programs as arguments only those.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

func main() {
	long := flag.Bool("long", false, "build the programs of the long lane too")
	flag.Parse()
	if err := run(*long, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(long bool, names []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	report := func(path string) { fmt.Println("built", path) }
	if len(names) > 0 {
		return binaries.Named(ctx, names, report)
	}
	if err := binaries.Short(ctx, report); err != nil || !long {
		return err
	}
	return binaries.Long(ctx, report)
}

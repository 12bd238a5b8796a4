// Command kubectl-apf is the kubectl plug-in "kubectl apf", which answers what operators
// ask about flow control. Under the name kubectl_complete-apf it completes the words of
// a command line.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/cmd/kubectl-apf/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := command.Run(ctx, command.Process(), os.Args)
	stop()
	os.Exit(status)
}

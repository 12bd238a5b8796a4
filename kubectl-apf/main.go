package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := command.Run(ctx, command.Process(), os.Args)
	stop()
	os.Exit(status)
}

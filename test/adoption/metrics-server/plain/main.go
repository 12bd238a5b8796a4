// Command plain is metrics-server as it is: without flow control.
package main

import (
	"os"

	"github.com/spf13/pflag"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/logs"
	"k8s.io/klog/v2"
	"sigs.k8s.io/metrics-server/cmd/metrics-server/app/options"
)

func main() {
	defer logs.FlushLogs()
	if err := run(genericapiserver.SetupSignalHandler()); err != nil {
		klog.Fatal(err)
	}
}

func run(stop <-chan struct{}) error {
	o := options.NewOptions()
	flags := pflag.NewFlagSet(os.Args[0], pflag.ExitOnError)
	for _, set := range o.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	if err := flags.Parse(os.Args[1:]); err != nil {
		return err
	}
	if errs := o.Validate(); len(errs) > 0 {
		return errs[0]
	}
	config, err := o.ServerConfig()
	if err != nil {
		return err
	}
	server, err := config.Complete()
	if err != nil {
		return err
	}
	return server.RunUntil(stop)
}

// Command library is metrics-server with the flow control of k8s.io/apiserver.
package main

import (
	"os"

	"github.com/spf13/pflag"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
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
	client, err := kubernetes.NewForConfig(config.Rest)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	if err := o.Features.ApplyTo(config.Apiserver, client, factory); err != nil {
		return err
	}
	factory.Start(stop)
	server, err := config.Complete()
	if err != nil {
		return err
	}
	return server.RunUntil(stop)
}

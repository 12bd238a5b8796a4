// Command fair is the test adapter of custom-metrics-apiserver with the flow control of pkg/apf.
package main

import (
	"context"
	"os"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/logs"
	"k8s.io/klog/v2"
	basecmd "sigs.k8s.io/custom-metrics-apiserver/pkg/cmd"
	"sigs.k8s.io/custom-metrics-apiserver/test-adapter/provider"

	fair "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/options"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/adoption/custom-metrics/monitored"
)

func main() {
	defer logs.FlushLogs()
	if err := run(genericapiserver.SetupSignalContext()); err != nil {
		klog.Fatal(err)
	}
}

func run(ctx context.Context) error {
	adapter := &basecmd.AdapterBase{Name: "test-adapter"}
	logs.AddFlags(adapter.Flags())
	monitoring := adapter.Flags().String("monitoring", "", "URL of the monitoring system")
	flow := fair.NewOptions()
	flow.AddFlags(adapter.Flags())
	if err := adapter.Flags().Parse(os.Args); err != nil {
		return err
	}
	client, err := adapter.DynamicClient()
	if err != nil {
		return err
	}
	mapper, err := adapter.RESTMapper()
	if err != nil {
		return err
	}
	metrics, _ := provider.NewFakeProvider(client, mapper)
	adapter.WithExternalMetrics(monitored.Provider{MetricsProvider: metrics, URL: *monitoring})
	config, err := adapter.Config()
	if err != nil {
		return err
	}
	if err := flow.ApplyTo(config.GenericConfig); err != nil {
		return err
	}
	return adapter.Run(ctx)
}

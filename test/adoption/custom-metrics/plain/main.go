// Command plain is the test adapter of custom-metrics-apiserver in front of a monitoring
// system. Its flag --enable-priority-and-fairness switches on the flow control of
// k8s.io/apiserver.
package main

import (
	"context"
	"os"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/logs"
	"k8s.io/klog/v2"
	basecmd "sigs.k8s.io/custom-metrics-apiserver/pkg/cmd"
	"sigs.k8s.io/custom-metrics-apiserver/test-adapter/provider"

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
	return adapter.Run(ctx)
}

// Command library is the test adapter of custom-metrics-apiserver with the flow control of k8s.io/apiserver and a total of
// its own.
package main

import (
	"context"
	"os"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/client-go/kubernetes"
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
	seats := adapter.Flags().Int("flow-control-seats", 600, "requests that execute at once")
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
	clientConfig, err := adapter.ClientConfig()
	if err != nil {
		return err
	}
	clientset, err := kubernetes.NewForConfig(clientConfig)
	if err != nil {
		return err
	}
	factory, err := adapter.Informers()
	if err != nil {
		return err
	}
	config.GenericConfig.FlowControl = flowcontrol.New(factory, clientset.FlowcontrolV1(), *seats)
	return adapter.Run(ctx)
}

// Command fair is the metrics adapter of KEDA with the flow control of pkg/apf.
package main

import (
	"context"
	"os"

	grpcprom "github.com/grpc-ecosystem/go-grpc-middleware/providers/prometheus"
	"github.com/kedacore/keda/v2/pkg/metricsservice"
	"github.com/kedacore/keda/v2/pkg/provider"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/logs"
	"k8s.io/klog/v2"
	basecmd "sigs.k8s.io/custom-metrics-apiserver/pkg/cmd"

	fair "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/options"
)

func main() {
	defer logs.FlushLogs()
	if err := run(genericapiserver.SetupSignalContext()); err != nil {
		klog.Fatal(err)
	}
}

func run(ctx context.Context) error {
	adapter := &basecmd.AdapterBase{Name: "keda-adapter"}
	logs.AddFlags(adapter.Flags())
	address := adapter.Flags().String("metrics-service-address", "", "address of the operator")
	flow := fair.NewOptions()
	flow.AddFlags(adapter.Flags())
	if err := adapter.Flags().Parse(os.Args); err != nil {
		return err
	}
	operator, err := metricsservice.NewGrpcClient(ctx, *address, adapter.SecureServing.ServerCert.CertDirectory, "", "", grpcprom.NewClientMetrics(), false)
	if err != nil {
		return err
	}
	adapter.WithExternalMetrics(provider.NewProvider(ctx, klog.Background(), nil, *operator))
	config, err := adapter.Config()
	if err != nil {
		return err
	}
	if err := flow.ApplyTo(config.GenericConfig); err != nil {
		return err
	}
	return adapter.Run(ctx)
}

// Command library is the metrics adapter of KEDA with the flow control of k8s.io/apiserver and a total of
// its own.
package main

import (
	"context"
	"os"

	grpcprom "github.com/grpc-ecosystem/go-grpc-middleware/providers/prometheus"
	"github.com/kedacore/keda/v2/pkg/metricsservice"
	"github.com/kedacore/keda/v2/pkg/provider"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/client-go/kubernetes"
	"k8s.io/component-base/logs"
	"k8s.io/klog/v2"
	basecmd "sigs.k8s.io/custom-metrics-apiserver/pkg/cmd"
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
	seats := adapter.Flags().Int("flow-control-seats", 600, "requests that execute at once")
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

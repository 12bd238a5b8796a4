// Command operator serves KEDA's metrics service in place of KEDA's operator. For each
// value it asks a monitoring system, as a scaler does.
package main

import (
	"context"
	"flag"
	"io"
	"log"
	"net"
	"net/http"

	"github.com/kedacore/keda/v2/pkg/metricsservice/api"
	"github.com/kedacore/keda/v2/pkg/metricsservice/utils"
	"google.golang.org/grpc"
)

func main() {
	address := flag.String("address", "", "where to serve")
	certificates := flag.String("cert-dir", "", "folder of ca.crt, tls.crt and tls.key")
	monitoring := flag.String("monitoring", "", "URL of the monitoring system")
	flag.Parse()
	log.Fatal(serve(*address, *certificates, *monitoring))
}

func serve(address, certificates, monitoring string) error {
	credentials, err := utils.LoadGrpcTLSCredentials(context.Background(), certificates, true)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.Creds(credentials))
	api.RegisterMetricsServiceServer(server, operator{monitoring: monitoring})
	return server.Serve(listener)
}

type operator struct {
	api.UnimplementedMetricsServiceServer
	monitoring string
}

// GetMetrics implements api.MetricsServiceServer.
func (o operator) GetMetrics(ctx context.Context, in *api.ScaledObjectRef) (*api.ExternalMetricValueList, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.monitoring, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return nil, err
	}
	return &api.ExternalMetricValueList{Items: []*api.ExternalMetricValue{{
		MetricName: in.MetricName, Timestamp: &api.Time{}, Value: &api.Quantity{String_: "1"},
	}}}, nil
}

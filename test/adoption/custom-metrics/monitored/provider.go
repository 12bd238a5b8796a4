// Package monitored makes a provider of metrics ask a monitoring system, as adapters do.
package monitored

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/metrics/pkg/apis/external_metrics"
	"sigs.k8s.io/custom-metrics-apiserver/pkg/provider"
)

// Provider asks URL before it answers for an external metric.
type Provider struct {
	provider.MetricsProvider
	URL string
}

// GetExternalMetric implements provider.ExternalMetricsProvider.
func (p Provider) GetExternalMetric(ctx context.Context, namespace string, selector labels.Selector, info provider.ExternalMetricInfo) (*external_metrics.ExternalMetricValueList, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL, http.NoBody)
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
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the monitoring system answered %s", response.Status)
	}
	return p.MetricsProvider.GetExternalMetric(ctx, namespace, selector, info)
}

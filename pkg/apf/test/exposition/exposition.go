// Package exposition reads what a server serves at /metrics.
package exposition

import (
	"errors"
	"io"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// Parse returns the families of a text, by name. Like a Prometheus server it rejects a
// family that comes twice.
func Parse(text io.Reader) (map[string]*dto.MetricFamily, error) {
	decoder := expfmt.NewDecoder(text, expfmt.NewFormat(expfmt.TypeTextPlain))
	families := map[string]*dto.MetricFamily{}
	for {
		family := &dto.MetricFamily{}
		err := decoder.Decode(family)
		if errors.Is(err, io.EOF) {
			return families, nil
		}
		if err != nil {
			return nil, err
		}
		families[family.GetName()] = family
	}
}

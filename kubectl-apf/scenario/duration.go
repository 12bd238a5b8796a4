package scenario

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"go.yaml.in/yaml/v3"
)

// Duration is a duration such as 1.5s.
type Duration time.Duration

// UnmarshalYAML implements yaml.Unmarshaler.
func (d *Duration) UnmarshalYAML(node *yaml.Node) error {
	value, err := time.ParseDuration(node.Value)
	if err != nil || node.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: %q must be a duration, such as 1.5s", node.Line, node.Value)
	}
	*d = Duration(value)
	return nil
}

// Shape is the shape of a distribution.
type Shape string

// The shapes.
const (
	Constant    Shape = "constant"
	Exponential Shape = "exponential"
	// LogNormal needs P99.
	LogNormal Shape = "lognormal"
)

// Distribution is the distribution of a duration. In YAML it is a duration, which is constant, or
// an object.
type Distribution struct {
	Mean  Duration `yaml:"mean"`
	Shape Shape    `yaml:"shape"` // Constant if it is empty
	// P99 is the 99th percentile.
	P99 Duration `yaml:"p99"`
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (d *Distribution) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*d = Distribution{Shape: Constant}
		return d.Mean.UnmarshalYAML(node)
	}
	type plain Distribution
	if err := known(node, "mean", "shape", "p99"); err != nil {
		return err
	}
	return node.Decode((*plain)(d))
}

// known returns an error if an object has other keys.
func known(node *yaml.Node, keys ...string) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: must be a duration, or an object with %q", node.Line, keys)
	}
next:
	for i := 0; i < len(node.Content); i += 2 {
		for _, key := range keys {
			if node.Content[i].Value == key {
				continue next
			}
		}
		return fmt.Errorf("line %d: the field %q is unknown, must be one of %q", node.Content[i].Line, node.Content[i].Value, keys)
	}
	return nil
}

// z99 is the 99th percentile of the standard normal distribution.
const z99 = 2.3263478740408408

// sigma returns the parameter of a log-normal distribution, and whether there is one with
// this mean and P99: the smaller solution of ln(P99/Mean) = z99 sigma - sigma^2/2.
func (d Distribution) sigma() (float64, bool) {
	ratio := math.Log(float64(d.P99) / float64(d.Mean))
	under := z99*z99 - 2*ratio
	return z99 - math.Sqrt(under), ratio > 0 && under >= 0
}

// problem returns what is wrong with the distribution; "" if it is valid.
func (d Distribution) problem() string {
	switch {
	case d.Mean < 0:
		return fmt.Sprintf("has the mean %s, must not be negative", time.Duration(d.Mean))
	case d.Shape != "" && d.Shape != Constant && d.Shape != Exponential && d.Shape != LogNormal:
		return fmt.Sprintf("has the shape %q, must be %s, %s or %s", d.Shape, Constant, Exponential, LogNormal)
	case d.Shape != LogNormal && d.P99 != 0:
		return fmt.Sprintf("has a p99 and not the shape %s, must have both or none", LogNormal)
	}
	if d.Shape == LogNormal {
		if _, possible := d.sigma(); !possible {
			return fmt.Sprintf("has the mean %s and the p99 %s: p99 must be more than 1 and less than 15 times the mean", time.Duration(d.Mean), time.Duration(d.P99))
		}
	}
	return ""
}

// draw returns a random duration.
func (d Distribution) draw(random *rand.Rand) time.Duration {
	mean := float64(d.Mean)
	switch d.Shape {
	case Exponential:
		return time.Duration(mean * random.ExpFloat64())
	case LogNormal:
		sigma, _ := d.sigma()
		return time.Duration(mean * math.Exp(sigma*random.NormFloat64()-sigma*sigma/2))
	default:
		return time.Duration(d.Mean)
	}
}

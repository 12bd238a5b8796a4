package picture

import (
	"fmt"
	"math"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/monitoring/mixin"
)

// format returns a value with its unit, in three digits.
func format(unit mixin.Unit, value float64) string {
	switch unit {
	case mixin.Percent:
		return fmt.Sprintf("%.3g %%", 100*value)
	case mixin.Seconds:
		if value >= 48*3600 {
			return fmt.Sprintf("%.0f d", value/86400)
		}
		return round(value).String()
	case mixin.Rate:
		return fmt.Sprintf("%.3g/s", value)
	case mixin.Bytes:
		return fmt.Sprintf("%.3g MiB", value/(1<<20))
	default:
		return fmt.Sprintf("%.3g", value)
	}
}

// round returns seconds as a duration of three digits.
func round(seconds float64) time.Duration {
	if seconds == 0 {
		return 0
	}
	scale := math.Pow(10, math.Floor(math.Log10(math.Abs(seconds)))-2)
	return time.Duration(math.Round(seconds/scale) * scale * float64(time.Second))
}

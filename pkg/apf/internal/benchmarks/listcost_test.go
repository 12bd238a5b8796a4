package benchmarks

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

// learnedTypes is the number of types whose lists were learned.
const learnedTypes = 100

// taught returns a history that has seen lists of many types.
func taught() *estimate.History {
	l := estimate.NewHistory()
	for i := range learnedTypes {
		for range 5 {
			l.Observe(typeOf(i), kindOf(), estimate.Observation{Bytes: 300_000, Prior: 1_000_000}, time.Second)
		}
	}
	return l
}

func typeOf(i int) estimate.StoredType {
	return estimate.StoredType{Group: "example.com", Resource: fmt.Sprintf("resource%03d", i)}
}

func kindOf() estimate.ListKind {
	return estimate.ListKind{FromStorage: true, Selector: estimate.LabelSelector, Limit: 500}
}

// BenchmarkLearnedEstimate measures what the estimate of a list takes once the formula is
// computed.
func BenchmarkLearnedEstimate(b *testing.B) {
	l, resource := taught(), typeOf(learnedTypes/2)
	b.ReportAllocs()
	for b.Loop() {
		l.Estimate(resource, kindOf(), 1_000_000, 2*time.Second)
	}
}

// BenchmarkLearnedEstimateParallel lets all goroutines read one kind while others learn.
func BenchmarkLearnedEstimateParallel(b *testing.B) {
	l := taught()
	var goroutines atomic.Int64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		resource := typeOf(int(goroutines.Add(1)) % 2)
		for n := 0; pb.Next(); n++ {
			if l.Estimate(resource, kindOf(), 1_000_000, 2*time.Second); n%1000 == 0 {
				l.Observe(resource, kindOf(), estimate.Observation{Bytes: 300_000, Prior: 1_000_000}, 2*time.Second)
			}
		}
	})
}

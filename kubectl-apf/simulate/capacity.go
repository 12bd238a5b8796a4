package simulate

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// Capacity is how execution depends on load, see the package comment. The zero Capacity
// means that it does not.
type Capacity struct {
	// Processors is the number of requests that execute without delaying each other; 0 for
	// any number.
	Processors float64
	// Etcd is the number of requests of etcd that do not delay each other; 0 for any
	// number.
	Etcd float64
}

// ParseCapacity parses "none", "processors=N", "etcd=N", or both with a comma between.
func ParseCapacity(text string) (Capacity, error) {
	var c Capacity
	if text == "" || text == "none" {
		return c, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		model, value, _ := strings.Cut(part, "=")
		into := map[string]*float64{"processors": &c.Processors, "etcd": &c.Etcd}[model]
		if into == nil {
			return Capacity{}, fmt.Errorf("the capacity model %q is unknown: must be none, processors=NUMBER, etcd=NUMBER, or both with a comma between", text)
		}
		if *into > 0 {
			return Capacity{}, fmt.Errorf("the capacity model %q names %s twice", text, model)
		}
		n, err := strconv.ParseFloat(value, 64)
		if err == nil && !(n > 0 && n <= 1e6) {
			err = errors.New("must be more than 0 and at most 1000000")
		}
		if err != nil {
			return Capacity{}, fmt.Errorf("the number %q of %s is invalid: %w", value, model, err)
		}
		*into = n
	}
	return c, nil
}

// String returns what ParseCapacity parses.
func (c Capacity) String() string {
	var parts []string
	if c.Processors > 0 {
		parts = append(parts, "processors="+strconv.FormatFloat(c.Processors, 'g', -1, 64))
	}
	if c.Etcd > 0 {
		parts = append(parts, "etcd="+strconv.FormatFloat(c.Etcd, 'g', -1, 64))
	}
	return cmp.Or(strings.Join(parts, ","), "none")
}

// concurrency is how many requests execute.
type concurrency struct {
	all  int
	etcd int // requests that use etcd
}

// add counts a request that starts, or with -1 one that ends.
func (n *concurrency) add(usesEtcd bool, by int) {
	n.all += by
	if usesEtcd {
		n.etcd += by
	}
}

// slowdown is how much longer a request takes when n requests execute, itself included.
func (c Capacity) slowdown(n concurrency, usesEtcd bool) float64 {
	slow := 1.0
	if c.Processors > 0 {
		slow = max(slow, float64(n.all)/c.Processors)
	}
	if usesEtcd && c.Etcd > 0 {
		slow = max(slow, float64(n.etcd)/c.Etcd)
	}
	return slow
}

// usesEtcd reports whether kube-apiserver asks etcd for a request: a write, a get, and a
// list of a further page or of an exact resource version. It serves other lists, and
// watches, from its cache.
func usesEtcd(r *trace.Request) bool {
	if r.Resource == "" {
		return false
	}
	switch r.Verb {
	case "get", "create", "update", "patch", "delete", "deletecollection":
		return true
	case "list":
		return r.List != nil && (r.List.Continue || r.List.ResourceVersionMatch == string(metav1.ResourceVersionMatchExact))
	default:
		return false
	}
}

// loads are the requests that execute in the trace.
type loads struct{ all, etcd load }

// arrive returns how many requests execute in the trace when one arrives that ends later,
// itself included. Arrivals are in order.
func (l *loads) arrive(at, end time.Duration, usesEtcd bool) concurrency {
	n := concurrency{all: l.all.arrive(at, end)}
	if usesEtcd {
		n.etcd = l.etcd.arrive(at, end)
	}
	return n
}

package filter

import (
	"time"

	"k8s.io/apiserver/pkg/server/httplog"
	"k8s.io/klog/v2"
)

// logVerbosity is the verbosity at which httplog logs requests.
const logVerbosity = 3

// maxLogged is the number of bytes of a name that are logged.
const maxLogged = 64

// isLogged reports whether httplog logs requests. It is cheaper than
// httplog.AddKeyValue, which looks into the context (BenchmarkFilter).
func isLogged() bool { return klog.V(logVerbosity).Enabled() }

func (r *request) logClass() {
	if !r.logged {
		return
	}
	ctx := r.http.Context()
	httplog.AddKeyValue(ctx, "apf_pl", truncate(r.apf.Level().Name))
	httplog.AddKeyValue(ctx, "apf_fs", truncate(r.apf.Schema().Name))
}

func (r *request) logWork() {
	if !r.logged {
		return
	}
	ctx, work := r.http.Context(), &r.apf.Work
	httplog.AddKeyValue(ctx, "apf_iseats", work.Initial)
	httplog.AddKeyValue(ctx, "apf_fseats", work.Final)
	httplog.AddKeyValue(ctx, "apf_additionalLatency", work.Latency)
}

func (r *request) log(key string, d time.Duration) {
	if r.logged {
		httplog.AddKeyValue(r.http.Context(), key, d)
	}
}

func truncate(name string) string { return name[:min(len(name), maxLogged)] }

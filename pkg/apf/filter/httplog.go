package filter

import (
	"time"

	"k8s.io/apiserver/pkg/server/httplog"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// logVerbosity is the verbosity at which httplog logs requests.
const logVerbosity = 3

// isLogged reports whether httplog logs requests. It is cheaper than
// httplog.AddKeyValue, which looks into the context (BenchmarkFilter).
//
// --vmodule sets the verbosity of source files by their names. This file has the name of
// the one that logs requests in k8s.io/apiserver/pkg/server/httplog, so that every
// pattern applies to both.
func isLogged() bool { return klog.V(logVerbosity).Enabled() }

// logWork logs the work estimate, where the library does not.
func (r *request) logWork(work seats.Work) {
	if !isLogged() {
		return
	}
	httplog.AddKeyValue(r.ctx, "apf_iseats", work.Initial)
	httplog.AddKeyValue(r.ctx, "apf_fseats", work.Final)
	httplog.AddKeyValue(r.ctx, "apf_additionalLatency", work.Latency)
}

func (r *request) log(key string, d time.Duration) {
	if isLogged() {
		httplog.AddKeyValue(r.ctx, key, d)
	}
}

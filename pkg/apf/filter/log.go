package filter

import (
	"time"

	"k8s.io/apiserver/pkg/server/httplog"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// maxLogged is the number of bytes of a name that are logged.
const maxLogged = 64

func (r *request) logClass() {
	if !r.logged {
		return
	}
	ctx := r.http.Context()
	httplog.AddKeyValue(ctx, "apf_pl", truncate(r.apf.Level().Name))
	httplog.AddKeyValue(ctx, "apf_fs", truncate(r.apf.Schema().Name))
}

// logWork logs the work estimate. It does not read r.apf.Work, which a dispatch may
// change as soon as the request has arrived.
func (r *request) logWork(work seats.Work) {
	if !r.logged {
		return
	}
	ctx := r.http.Context()
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

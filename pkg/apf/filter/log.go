package filter

import (
	"time"

	"k8s.io/apiserver/pkg/server/httplog"
	"k8s.io/klog/v2"
)

// logVerbosity is from where on httplog writes requests down.
const logVerbosity = 3

// maxLogged bounds the names in the log, in bytes.
const maxLogged = 64

// isLogged tells, more cheaply than the request's context could, whether it is
// worth while to say anything to httplog.
func isLogged() bool { return klog.V(logVerbosity).Enabled() }

func (p *passage) logClass() {
	if !p.logged {
		return
	}
	ctx := p.request.Context()
	httplog.AddKeyValue(ctx, "apf_pl", truncate(p.ticket.Level().Name))
	httplog.AddKeyValue(ctx, "apf_fs", truncate(p.ticket.Schema().Name))
}

func (p *passage) logWork() {
	if !p.logged {
		return
	}
	ctx, work := p.request.Context(), &p.ticket.Work
	httplog.AddKeyValue(ctx, "apf_iseats", work.Initial)
	httplog.AddKeyValue(ctx, "apf_fseats", work.Final)
	httplog.AddKeyValue(ctx, "apf_additionalLatency", work.Latency)
}

func (p *passage) log(key string, d time.Duration) {
	if p.logged {
		httplog.AddKeyValue(p.request.Context(), key, d)
	}
}

func truncate(name string) string { return name[:min(len(name), maxLogged)] }

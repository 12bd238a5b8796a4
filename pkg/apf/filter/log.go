package filter

import (
	"time"

	"k8s.io/apiserver/pkg/server/httplog"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

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

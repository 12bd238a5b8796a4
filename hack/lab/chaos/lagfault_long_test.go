//go:build long

package chaos_test

import (
	"syscall"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// paused is how long etcd is paused, and late how much later it answers then.
	paused, late = 5 * time.Second, 500 * time.Millisecond
)

// lagFault is what is wrong with etcd.
type lagFault struct {
	name string
	// begin returns what ends the fault.
	begin func(etcd *harness.Etcd, proxy *traffic.EtcdProxy) (end func(), err error)
}

func lagFaults() []lagFault {
	return []lagFault{
		{"watches report nothing", func(_ *harness.Etcd, proxy *traffic.EtcdProxy) (func(), error) {
			proxy.HoldWatches(true)
			return func() { proxy.HoldWatches(false) }, nil
		}},
		{"paused 5 s, then 500 ms late", func(etcd *harness.Etcd, proxy *traffic.EtcdProxy) (func(), error) {
			if err := etcd.Process.Signal(syscall.SIGSTOP); err != nil {
				return nil, err
			}
			proxy.SetDelay(late)
			resume := time.AfterFunc(paused, etcd.Process.Resume)
			return func() { resume.Stop(); etcd.Process.Resume(); proxy.SetDelay(0) }, nil
		}},
	}
}

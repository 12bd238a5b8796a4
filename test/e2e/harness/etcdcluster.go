package harness

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// StartEtcdCluster starts an etcd cluster of plain HTTP on empty data directories and
// waits until its members are healthy. advertise, unless nil, returns the host and port where the
// others reach a member, as from a proxy before the one where it listens. The timings of elections
// are etcd's own, and members wait for the disk.
func StartEtcdCluster(t TB, size int, advertise func(member int, listens string) string, args ...string) []*Etcd {
	t.Helper()
	var members []*Etcd
	var listens, advertised, cluster []string
	for i := range size {
		free := ports.Free(t, 3)
		address := ports.Loopback(free[1])
		listens = append(listens, "http://"+address)
		if advertise != nil {
			address = advertise(i, address)
		}
		advertised = append(advertised, "http://"+address)
		cluster = append(cluster, fmt.Sprintf("%s=%s", memberName(i), advertised[i]))
		members = append(members, &Etcd{
			options: EtcdOptions{Fsync: true, Args: args}, path: Program(t, binaries.Etcd),
			URL: "http://" + ports.Loopback(free[0]), healthURL: "http://" + ports.Loopback(free[2]), dataDir: filepath.Join(ShortDir(t), "data"),
		})
	}
	for i, e := range members {
		e.args = slices.Concat(e.memberArgs(memberName(i), listens[i], advertised[i], strings.Join(cluster, ",")), args)
		e.Launch(t)
	}
	for _, e := range members {
		await(t, e.WaitHealthy)
	}
	return members
}

func memberName(member int) string { return fmt.Sprintf("member-%d", member) }

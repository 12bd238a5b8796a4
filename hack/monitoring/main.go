// Command monitoring writes the rules and the dashboard of package mixin into files.
//
//	go run ./hack/monitoring
//	go run ./hack/monitoring -out=/tmp/rules -flow-control-jobs='flowcontrol-apiserver|apiserver'
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/monitoring/mixin"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

func main() {
	parameters := mixin.Defaults()
	out := flag.String("out", "", "the folder for the files; the default is "+mixin.Folder)
	flag.StringVar(&parameters.FlowControlJobs, "flow-control-jobs", parameters.FlowControlJobs,
		"a regular expression of the jobs whose flow control is watched; kube-apiserver's may be among them")
	flag.StringVar(&parameters.ServerJob, "server-job", parameters.ServerJob, "the job of this server")
	flag.Int64Var(&parameters.EtcdQuota, "etcd-quota", parameters.EtcdQuota, "the quota of an etcd that is not scraped, in bytes")
	flag.StringVar(&parameters.EtcdJobs, "etcd-jobs", parameters.EtcdJobs, "a regular expression of the jobs of etcd, if it is scraped")
	flag.Parse()
	if err := run(parameters, *out); err != nil {
		fmt.Fprintln(os.Stderr, "monitoring:", err)
		os.Exit(1)
	}
}

func run(parameters mixin.Parameters, out string) error {
	if out == "" {
		root, err := binaries.Root()
		if err != nil {
			return err
		}
		out = filepath.Join(root, filepath.FromSlash(mixin.Folder))
	}
	return parameters.Write(out)
}

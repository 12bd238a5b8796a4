// Command flowcontrol-apiserver serves, stores and enforces the Kubernetes API
// group flowcontrol.apiserver.k8s.io, alone or behind a kube-apiserver.
package main

import (
	"fmt"
	"os"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/cli"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/cmd/flowcontrol-apiserver/app"
)

func main() {
	ctx := genericapiserver.SetupSignalContext()
	if err := cli.RunNoErrOutput(app.NewCommand(ctx, os.Stdout)); err != nil {
		fmt.Fprintln(os.Stderr, "flowcontrol-apiserver:", err)
		os.Exit(1)
	}
}

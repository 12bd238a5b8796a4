// Under the race detector the library's own race is found now and then: a PATCH whose
// client leaves, as the engine's status writes do at a stop, writes a variable that
// its handler reads (k8s.io/apiserver/pkg/endpoints/handlers/patch.go, wasCreated).

//go:build !race

package server_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server"
)

// A program, such as a test, starts a server with an embedded etcd and uses it
// as its administrator.
func Example() {
	if err := serve(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// catch-all: matches last, at 10000
	// stopped
}

func serve() error {
	directory, err := os.MkdirTemp("", "flowcontrol-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(directory) }()
	// A free port, reserved by the listener.
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return err
	}
	config := server.NewConfig()
	config.DataDir = filepath.Join(directory, "data")
	config.SecureServing.Listener = listener

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	running, err := server.New(ctx, config.Complete())
	if err != nil {
		return err
	}
	defer running.Close()
	ended := make(chan error, 1)
	go func() {
		defer stop() // or a failed server would be waited for
		ended <- running.Run(ctx)
	}()

	used := running.WaitReady(ctx)
	if used == nil {
		used = printCatchAll(ctx, running.KubeconfigPath())
	}
	stop()
	if err := errors.Join(<-ended, used); err != nil {
		return err
	}
	fmt.Println("stopped")
	return nil
}

func printCatchAll(ctx context.Context, kubeconfig string) error {
	admin, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := versioned.NewForConfig(admin)
	if err != nil {
		return err
	}
	schema, err := client.FlowcontrolV1().FlowSchemas().Get(ctx, flowcontrolv1.FlowSchemaNameCatchAll, metav1.GetOptions{})
	if err != nil {
		return err
	}
	fmt.Printf("%s: matches last, at %d\n", schema.Name, schema.Spec.MatchingPrecedence)
	return nil
}

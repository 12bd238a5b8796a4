// Package client runs the steps of a client of test/e2e/alone, and tells the test which of them
// worked.
package client

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Step is what a user does with a client.
type Step struct {
	Name string
	Run  func(context.Context) error
}

// Main runs the steps of the client of the KUBECONFIG, in order, until one fails. Each step
// is a line of the output. The program's argument is the name of the objects.
func Main(client func(config *rest.Config, name string) ([]Step, error)) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		log.Fatal(err)
	}
	steps, err := client(config, os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	for _, step := range steps {
		if err := step.Run(ctx); err != nil {
			log.Fatalf("%s: %v", step.Name, err)
		}
		fmt.Println("works: " + step.Name)
	}
}

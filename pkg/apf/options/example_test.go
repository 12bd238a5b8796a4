package options_test

import (
	"fmt"

	"github.com/spf13/pflag"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/options"
)

func configure(flags *pflag.FlagSet, config *genericapiserver.Config) error {
	flowControl := options.NewOptions()
	flowControl.AddFlags(flags) // optional
	// after your other options, before config.Complete:
	if err := flowControl.ApplyTo(config); err != nil { // *genericapiserver.Config
		return err
	}
	return nil
}

func ExampleOptions_ApplyTo() {
	config := genericapiserver.NewConfig(scheme.Codecs)
	if err := configure(pflag.NewFlagSet("server", pflag.ContinueOnError), config); err != nil {
		panic(err)
	}
	fmt.Println(config.FlowControl.(*options.FlowControl).Status().Source)
	// Output: built-in
}

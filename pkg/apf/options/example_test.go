package options_test

import (
	"fmt"

	"github.com/spf13/pflag"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/options"
)

func configure(flags *pflag.FlagSet, recommended *genericoptions.RecommendedOptions, config *genericapiserver.RecommendedConfig) error {
	recommended.Features.EnablePriorityAndFairness = false // the library's engine, which needs rights
	flowControl := options.NewOptions()
	flowControl.AddFlags(flags) // optional
	if err := recommended.ApplyTo(config); err != nil {
		return err
	}
	if err := flowControl.ApplyToRecommended(config); err != nil { // before config.Complete
		return err
	}
	return nil
}

func ExampleOptions_ApplyToRecommended() {
	recommended := genericoptions.NewRecommendedOptions("/registry/example", scheme.Codecs.LegacyCodec())
	// What needs a cluster, etcd or a port is left out here.
	recommended.Etcd, recommended.SecureServing, recommended.Authentication = nil, nil, nil
	recommended.Authorization, recommended.CoreAPI, recommended.Admission = nil, nil, nil
	config := genericapiserver.NewRecommendedConfig(scheme.Codecs)
	if err := configure(pflag.NewFlagSet("server", pflag.ContinueOnError), recommended, config); err != nil {
		panic(err)
	}
	fmt.Println(config.FlowControl.(*options.FlowControl).Status().Source)
	// Output: built-in
}

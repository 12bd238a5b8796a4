package storage_test

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/options"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/storage"
)

// A server whose lists ask for seats again when the watch cache lags. It calls this after its
// options of etcd have been applied, which set RESTOptionsGetter.
func ExampleReads_Options() {
	config := genericapiserver.NewRecommendedConfig(serializer.NewCodecFactory(runtime.NewScheme()))

	reads := storage.New()
	cached := func(schema.GroupResource) bool { return true } // options.Etcd.EnableWatchCache
	config.RESTOptionsGetter = reads.Options(config.RESTOptionsGetter, cached)

	flowControl := options.NewOptions()
	if err := flowControl.ApplyTo(&config.Config); err != nil {
		panic(err)
	}
	config.FlowControl.(*options.FlowControl).Registry().MustRegister(reads)
	// Output:
}

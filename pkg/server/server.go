package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apiserver/pkg/features"
	genericapiserver "k8s.io/apiserver/pkg/server"
	restclient "k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/bootstrap"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/rest"
)

// Server is the server, ready to run.
type Server struct {
	config  *Config
	generic *genericapiserver.GenericAPIServer
	// kubeconfig is the administrator's file, empty if there is none.
	kubeconfig string
}

// NewServer installs the API group and what keeps it alive.
func NewServer(config *Config) (*Server, error) {
	var completed genericapiserver.CompletedConfig
	if config.cluster != nil {
		completed = config.generic.Complete(config.cluster.informers)
	} else {
		completed = config.generic.Complete(nil)
	}
	generic, err := completed.New("flowcontrol-apiserver", genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, err
	}
	kubeconfig, err := config.writeKubeconfig()
	if err != nil {
		return nil, err
	}
	server := &Server{config: config, generic: generic, kubeconfig: kubeconfig}
	if err := server.installMetrics(); err != nil {
		return nil, err
	}
	if err := server.installAPIGroup(); err != nil {
		return nil, err
	}
	server.installCoreVersion()
	if err := server.waitForStorage(); err != nil {
		return nil, err
	}
	if err := server.keepBuiltInObjects(); err != nil {
		return nil, err
	}
	return server, nil
}

func (s *Server) installAPIGroup() error {
	group, err := rest.Provider{
		Scheme:  s.config.scheme,
		Codecs:  s.config.codecs,
		Options: s.config.generic.RESTOptionsGetter,
		Enabled: s.config.generic.MergedResourceConfig,
		Clock:   clock.RealClock{},
	}.APIGroupInfo()
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer from etcd at %s: see that it runs, that the address is right, and that --etcd-cafile, --etcd-certfile and --etcd-keyfile fit it",
			strings.Join(s.config.options.Etcd.StorageConfig.Transport.ServerList, ","))
	}
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	return s.generic.InstallAPIGroup(group)
}

// waitForStorage makes the start wait for the watch caches, as long as
// --storage-initialization-timeout says, if the feature is enabled.
func (s *Server) waitForStorage() error {
	if !s.config.generic.FeatureGate.Enabled(features.WatchCacheInitializationPostStartHook) {
		return nil
	}
	return s.generic.AddPostStartHook("storage-readiness", s.generic.StorageReadinessHook.Hook)
}

// keepBuiltInObjects starts the keeper with the server; readiness waits for its
// first pass.
func (s *Server) keepBuiltInObjects() error {
	config := restclient.CopyConfig(s.generic.LoopbackClientConfig)
	// Advice is for those who choose what they write.
	config.WarningHandler = restclient.NoWarnings{}
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return err
	}
	keeper := bootstrap.New(client.FlowcontrolV1(), clock.RealClock{}, klog.Background())
	if err := s.generic.AddPostStartHook("flowcontrol-built-in-objects", func(hook genericapiserver.PostStartHookContext) error {
		go keeper.Run(hook)
		return nil
	}); err != nil {
		return err
	}
	return s.generic.AddReadyzChecks(keeper)
}

// Run serves until ctx ends, or the embedded etcd does, finishes the requests
// under way and returns.
func (s *Server) Run(ctx context.Context, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if home := s.config.home; home != nil && home.etcd != nil {
		go func() {
			select {
			case err := <-home.etcd.Failed():
				cancel(fmt.Errorf("the embedded etcd stopped: %w", err))
			case <-ctx.Done():
			}
		}()
	}
	go s.announce(ctx, out)

	err := s.generic.PrepareRun().RunWithContext(ctx)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

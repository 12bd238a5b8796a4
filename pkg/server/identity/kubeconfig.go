package identity

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// kubeconfig is a kubeconfig file and the flag that names it.
type kubeconfig struct{ flag, file string }

func (o *Options) authenticationKubeconfig() kubeconfig {
	return kubeconfig{authenticationKubeconfigFlag, o.Authentication.RemoteKubeConfigFile}
}

func (o *Options) authorizationKubeconfig() kubeconfig {
	return kubeconfig{authorizationKubeconfigFlag, o.Authorization.RemoteKubeConfigFile}
}

// ClientConfig returns the client configuration for the kube-apiserver in front, nil
// if there is none. Errors name the flag and the file.
func (o *Options) ClientConfig() (*rest.Config, error) {
	return o.clientConfig(kubeconfig{kubeconfigFlag, o.Kubeconfig}, o.authorizationKubeconfig(), o.authenticationKubeconfig())
}

// AuthenticationClientConfig is ClientConfig for the kube-apiserver that answers
// TokenReviews.
func (o *Options) AuthenticationClientConfig() (*rest.Config, error) {
	return o.clientConfig(o.authenticationKubeconfig(), kubeconfig{kubeconfigFlag, o.Kubeconfig})
}

// AuthorizationClientConfig is ClientConfig for the kube-apiserver that answers
// SubjectAccessReviews.
func (o *Options) AuthorizationClientConfig() (*rest.Config, error) {
	return o.clientConfig(o.authorizationKubeconfig(), kubeconfig{kubeconfigFlag, o.Kubeconfig})
}

// clientConfig loads the first kubeconfig that is set, else uses the credentials of
// the pod.
func (o *Options) clientConfig(sources ...kubeconfig) (*rest.Config, error) {
	if !o.Delegated() {
		return nil, nil
	}
	for _, source := range sources {
		if source.file != "" {
			return loadKubeconfig(source.flag, source.file)
		}
	}
	return o.InCluster()
}

// loadKubeconfig loads the kubeconfig that a flag names. Unlike the library's
// loaders it does not fall back to the credentials of the pod: an empty file is a
// mistake. Errors name the flag and the file.
func loadKubeconfig(flag, file string) (*rest.Config, error) {
	var config *rest.Config
	content, err := clientcmd.LoadFromFile(file)
	if err == nil {
		err = clientcmd.ResolveLocalPaths(content)
	}
	if err == nil {
		config, err = clientcmd.NewDefaultClientConfig(*content, &clientcmd.ConfigOverrides{}).ClientConfig()
	}
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: must be a readable kubeconfig whose current context names a server: %w", flag, file, err)
	}
	return config, nil
}

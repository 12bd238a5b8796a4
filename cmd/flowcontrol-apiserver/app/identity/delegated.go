package identity

import (
	"fmt"

	"k8s.io/apiserver/pkg/server"
)

// applyDelegated lets the kube-apiserver in front decide.
func (o *Options) applyDelegated(authenticationInfo *server.AuthenticationInfo, authorizationInfo *server.AuthorizationInfo, servingInfo *server.SecureServingInfo) error {
	authentication, authorization := *o.Authentication, *o.Authorization
	for _, source := range []struct {
		flag string
		file *string
	}{
		{"authentication-kubeconfig", &authentication.RemoteKubeConfigFile},
		{"authorization-kubeconfig", &authorization.RemoteKubeConfigFile},
	} {
		flag := source.flag
		if *source.file == "" {
			flag, *source.file = "kubeconfig", o.Kubeconfig
		}
		if *source.file == "" {
			continue // the library takes the credentials of the pod
		}
		if _, err := loadKubeconfig(flag, *source.file); err != nil {
			return err
		}
	}
	if err := checkCAs(authentication.ClientCert.ClientCA, authentication.RequestHeader.ClientCAFile, authentication.RequestHeader.AllowedNames); err != nil {
		return err
	}
	if err := authentication.ApplyTo(authenticationInfo, servingInfo, nil); err != nil {
		return fmt.Errorf("authentication by the kube-apiserver in front: %w", err)
	}
	if err := authorization.ApplyTo(authorizationInfo); err != nil {
		return fmt.Errorf("authorization by the kube-apiserver in front: %w", err)
	}
	return nil
}

package identity

import (
	"crypto/x509"
	"fmt"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	requestx509 "k8s.io/apiserver/pkg/authentication/request/x509"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/client-go/util/cert"
)

const (
	clientCAFlag        = "client-ca-file"
	requestHeaderCAFlag = "requestheader-client-ca-file"
)

// certificateAuthenticators are the sources that a TLS client certificate proves.
func (o *Options) certificateAuthenticators(info *server.AuthenticationInfo, serving *server.SecureServingInfo, defaultClientCAFile string) ([]authenticator.Request, error) {
	clientCAFile := o.Authentication.ClientCert.ClientCA
	if clientCAFile == "" {
		clientCAFile = defaultClientCAFile
	}
	requestHeader := o.Authentication.RequestHeader
	if err := checkCAs(clientCAFile, requestHeader.ClientCAFile, requestHeader.AllowedNames); err != nil {
		return nil, err
	}

	var result []authenticator.Request
	if clientCAFile != "" {
		bundle, err := followCA(clientCAFlag, "client-ca-bundle", clientCAFile)
		if err != nil {
			return nil, err
		}
		if err := info.ApplyClientCert(bundle, serving); err != nil {
			return nil, err
		}
		result = append(result, requestx509.NewDynamic(bundle.VerifyOptions, requestx509.CommonNameUserConversion))
	}
	proxy, err := requestHeader.ToAuthenticationRequestHeaderConfig()
	if err != nil || proxy == nil {
		return result, err
	}
	if err := info.ApplyClientCert(proxy.CAContentProvider, serving); err != nil {
		return nil, err
	}
	info.RequestHeaderConfig = proxy
	front := headerrequest.NewDynamicVerifyOptionsSecure(proxy.CAContentProvider.VerifyOptions,
		proxy.AllowedClientNames, proxy.UsernameHeaders, proxy.UIDHeaders, proxy.GroupHeaders, proxy.ExtraHeaderPrefixes)
	return append([]authenticator.Request{front}, result...), nil
}

// readCA reads the bundle of authorities that a flag names. Errors name the flag
// and the file.
func readCA(flag, file string) ([]*x509.Certificate, error) {
	certificates, err := cert.CertsFromFile(file)
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: must be a readable file of PEM certificates: %w", flag, file, err)
	}
	return certificates, nil
}

// followCA reads the bundle of authorities that a flag names, and follows it once
// the server runs. Errors name the flag and the file.
func followCA(flag, purpose, file string) (dynamiccertificates.CAContentProvider, error) {
	if _, err := readCA(flag, file); err != nil {
		return nil, err
	}
	bundle, err := dynamiccertificates.NewDynamicCAContentFromFile(purpose, file)
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: %w", flag, file, err)
	}
	return bundle, nil
}

// checkCAs refuses files that hold no certificates, and an authority that signs
// both users and a front proxy of any name: each of its users could then name
// himself anyone. An empty file name stands for no file.
func checkCAs(clientCAFile, requestHeaderCAFile string, allowedNames []string) error {
	users := map[string]bool{}
	if clientCAFile != "" {
		certificates, err := readCA(clientCAFlag, clientCAFile)
		if err != nil {
			return err
		}
		for _, certificate := range certificates {
			users[string(certificate.RawSubjectPublicKeyInfo)] = true
		}
	}
	if requestHeaderCAFile == "" {
		return nil
	}
	certificates, err := readCA(requestHeaderCAFlag, requestHeaderCAFile)
	if err != nil {
		return err
	}
	for _, certificate := range certificates {
		if len(allowedNames) == 0 && users[string(certificate.RawSubjectPublicKeyInfo)] {
			return fmt.Errorf("--%s=%s: the authority %q also signs the certificates of users (%s), each of whom could name himself anyone: "+
				"give the front proxy an authority of its own, or name it with --requestheader-allowed-names",
				requestHeaderCAFlag, requestHeaderCAFile, certificate.Subject, clientCAFile)
		}
	}
	return nil
}

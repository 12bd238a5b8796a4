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
	clientCAFlag           = "client-ca-file"
	requestHeaderCAFlag    = "requestheader-client-ca-file"
	requestHeaderNamesFlag = "requestheader-allowed-names"
)

// certificateAuthenticators returns the authenticators of TLS client certificates:
// the front proxy's, which names the user in headers, before the users' own.
func (o *Options) certificateAuthenticators(info *server.AuthenticationInfo, serving *server.SecureServingInfo, defaultClientCAFile string) ([]authenticator.Request, error) {
	clientCAFile := o.Authentication.ClientCert.ClientCA
	if clientCAFile == "" {
		clientCAFile = defaultClientCAFile
	}
	requestHeader := o.Authentication.RequestHeader
	if err := checkCABundles(clientCAFile, requestHeader.ClientCAFile, requestHeader.AllowedNames); err != nil {
		return nil, err
	}

	var result []authenticator.Request
	if clientCAFile != "" {
		bundle, err := dynamiccertificates.NewDynamicCAContentFromFile("client-ca-bundle", clientCAFile)
		if err != nil {
			return nil, fmt.Errorf("--%s=%s: %w", clientCAFlag, clientCAFile, err)
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
	frontProxy := headerrequest.NewDynamicVerifyOptionsSecure(proxy.CAContentProvider.VerifyOptions,
		proxy.AllowedClientNames, proxy.UsernameHeaders, proxy.UIDHeaders, proxy.GroupHeaders, proxy.ExtraHeaderPrefixes)
	return append([]authenticator.Request{frontProxy}, result...), nil
}

// readCABundle reads the CA bundle that a flag names. Errors name the flag and the
// file.
func readCABundle(flag, file string) ([]*x509.Certificate, error) {
	certificates, err := cert.CertsFromFile(file)
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: must be a CA bundle, a readable file of PEM certificates: %w", flag, file, err)
	}
	return certificates, nil
}

// checkCABundles returns an error for an invalid CA bundle, and for a CA that signs
// both client certificates and a front proxy's certificate of any name: with such a
// CA every user could impersonate any other. An empty file name means no bundle.
func checkCABundles(clientCAFile, requestHeaderCAFile string, allowedNames []string) error {
	clientCAs := map[string]bool{} // by public key
	if clientCAFile != "" {
		certificates, err := readCABundle(clientCAFlag, clientCAFile)
		if err != nil {
			return err
		}
		for _, certificate := range certificates {
			clientCAs[string(certificate.RawSubjectPublicKeyInfo)] = true
		}
	}
	if requestHeaderCAFile == "" {
		return nil
	}
	certificates, err := readCABundle(requestHeaderCAFlag, requestHeaderCAFile)
	if err != nil {
		return err
	}
	for _, certificate := range certificates {
		if len(allowedNames) == 0 && clientCAs[string(certificate.RawSubjectPublicKeyInfo)] {
			return fmt.Errorf("--%s=%s: CA %q also signs client certificates (%s), so that every user could impersonate any other by request headers: "+
				"use a separate CA for the front proxy, or set --%s",
				requestHeaderCAFlag, requestHeaderCAFile, certificate.Subject, clientCAFile, requestHeaderNamesFlag)
		}
	}
	return nil
}

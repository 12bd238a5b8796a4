package identity

import (
	"crypto/x509"
	"fmt"
	"slices"

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
// the front proxy's, which names the user in headers, before the users' own. Users have
// certificates of --client-ca-file or of this server's CA, which signs the administrator's.
func (o *Options) certificateAuthenticators(info *server.AuthenticationInfo, serving *server.SecureServingInfo, ownCAFile string) ([]authenticator.Request, error) {
	clientCAFiles := slices.DeleteFunc([]string{o.Authentication.ClientCert.ClientCA, ownCAFile}, func(file string) bool { return file == "" })
	requestHeader := o.Authentication.RequestHeader
	if err := checkCABundles(clientCAFiles, requestHeader.ClientCAFile, requestHeader.AllowedNames); err != nil {
		return nil, err
	}

	var result []authenticator.Request
	for _, file := range clientCAFiles {
		bundle, err := dynamiccertificates.NewDynamicCAContentFromFile("client-ca-bundle", file)
		if err != nil {
			return nil, fmt.Errorf("--%s=%s: %w", clientCAFlag, file, err)
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
func checkCABundles(clientCAFiles []string, requestHeaderCAFile string, allowedNames []string) error {
	clientCAs := map[string]string{} // their files by public key
	for _, clientCAFile := range clientCAFiles {
		if clientCAFile == "" {
			continue
		}
		certificates, err := readCABundle(clientCAFlag, clientCAFile)
		if err != nil {
			return err
		}
		for _, certificate := range certificates {
			clientCAs[string(certificate.RawSubjectPublicKeyInfo)] = clientCAFile
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
		if clientCAFile, both := clientCAs[string(certificate.RawSubjectPublicKeyInfo)]; both && len(allowedNames) == 0 {
			return fmt.Errorf("--%s=%s: CA %q also signs client certificates (%s), so that every user could impersonate any other by request headers: "+
				"use a separate CA for the front proxy, or set --%s",
				requestHeaderCAFlag, requestHeaderCAFile, certificate.Subject, clientCAFile, requestHeaderNamesFlag)
		}
	}
	return nil
}

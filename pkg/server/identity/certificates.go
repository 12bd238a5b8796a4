package identity

import (
	"crypto/x509"
	"fmt"

	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/client-go/util/cert"
)

const (
	clientCAFlag        = "client-ca-file"
	requestHeaderCAFlag = "requestheader-client-ca-file"
)

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

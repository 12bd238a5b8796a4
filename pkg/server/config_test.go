package server

import (
	"testing"

	"github.com/stretchr/testify/require"
	genericoptions "k8s.io/apiserver/pkg/server/options"
)

func TestServingCertificateOfTheUserIsUsed(t *testing.T) {
	require.False(t, NewConfig().Complete().hasServingCertificate())
	files := NewConfig()
	files.SecureServing.ServerCert.CertKey = genericoptions.CertKey{CertFile: "a", KeyFile: "b"}
	require.True(t, files.Complete().hasServingCertificate())
	directory := NewConfig()
	directory.SecureServing.ServerCert.CertDirectory = "d"
	require.True(t, directory.Complete().hasServingCertificate())
}

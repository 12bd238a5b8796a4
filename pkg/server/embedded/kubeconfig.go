package embedded

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// kubeconfigEntry is the name of the cluster, the user and the context, so that
// the file merges into another without a conflict.
const kubeconfigEntry = "flowcontrol-apiserver"

// WriteKubeconfig writes the administrator's kubeconfig, which contains the
// certificates, to dir.KubeconfigPath() with mode 0600. Server is the URL that
// clients use, e.g. https://127.0.0.1:6443. An identical file is not written
// again; changed reports whether it was written.
func WriteKubeconfig(dir *DataDirectory, server string, certificates Certificates) (changed bool, err error) {
	path := dir.KubeconfigPath()
	wanted, err := clientcmd.Write(kubeconfig(server, certificates))
	if err != nil {
		return false, fmt.Errorf("kubeconfig %s cannot be encoded: %w", path, err)
	}
	current, err := os.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(current, wanted):
		if err := restrictFile(path); err != nil {
			return false, fmt.Errorf("kubeconfig %s: %w; set its mode to 0600", path, err)
		}
		return false, nil
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return false, fmt.Errorf("kubeconfig %s cannot be read: %w; make it readable", path, err)
	}
	if err := writeFileAtomically(path, wanted, secretMode); err != nil {
		return false, fmt.Errorf("kubeconfig %s cannot be written: %w", path, err)
	}
	return true, SyncDirectory(filepath.Dir(path))
}

func kubeconfig(server string, certificates Certificates) clientcmdapi.Config {
	config := clientcmdapi.NewConfig()
	config.Clusters[kubeconfigEntry] = &clientcmdapi.Cluster{
		Server:                   server,
		CertificateAuthorityData: certificates.CA.CertificatePEM,
	}
	config.AuthInfos[kubeconfigEntry] = &clientcmdapi.AuthInfo{
		ClientCertificateData: certificates.Admin.CertificatePEM,
		ClientKeyData:         certificates.Admin.KeyPEM,
	}
	config.Contexts[kubeconfigEntry] = &clientcmdapi.Context{
		Cluster:  kubeconfigEntry,
		AuthInfo: kubeconfigEntry,
	}
	config.CurrentContext = kubeconfigEntry
	return *config
}

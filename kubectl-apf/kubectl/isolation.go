package kubectl

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// contextName is the name of the one context, cluster and user of kubectl.
const contextName = "explained"

// configIn returns the path of the kubeconfig in the home of kubectl.
func configIn(home string) string { return filepath.Join(home, "config") }

// kubeconfig returns a kubeconfig with the server alone and no credentials.
func kubeconfig(url, namespace string) []byte {
	type object map[string]any
	text, err := json.Marshal(object{
		"apiVersion": "v1", "kind": "Config", "current-context": contextName,
		"clusters": []object{{"name": contextName, "cluster": object{"server": url}}},
		"users":    []object{{"name": contextName, "user": object{}}},
		"contexts": []object{{"name": contextName, "context": object{"cluster": contextName, "user": contextName, "namespace": namespace}}},
	})
	if err != nil {
		panic(err) // texts only
	}
	return text
}

// override returns the arguments with flags that keep kubectl on the server, whatever the
// others say: of a flag that is repeated, the last counts.
func override(arguments []string, home, url string) []string {
	flags := []string{
		"--insecure-skip-tls-verify=false", // it may be taken for the value of a flag that has none
		"--kubeconfig=" + configIn(home), "--cache-dir=" + filepath.Join(home, "cache"),
		"--context=" + contextName, "--cluster=" + contextName, "--user=" + contextName, "--server=" + url,
		"--token=", "--client-certificate=", "--client-key=", "--certificate-authority=", "--tls-server-name=",
	}
	end := slices.Index(arguments, "--")
	if end < 0 {
		end = len(arguments)
	}
	return slices.Concat(arguments[:end], flags, arguments[end:])
}

// environment returns the environment of kubectl: the process's without what leads to a cluster or
// to another program.
func environment(of []string, home string) []string {
	kept := slices.DeleteFunc(slices.Clone(of), func(variable string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(variable), "=")
		switch name {
		case "HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "PATH", "TMPDIR", "TMP", "TEMP", "KUBECONFIG", "KUBECACHEDIR", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT",
			"KUBECTL_COMMAND_HEADERS", "EDITOR", "KUBE_EDITOR", "KUBECTL_EXTERNAL_DIFF":
			return true
		default:
			return false
		}
	})
	return append(kept, "HOME="+home, "USERPROFILE="+home, "PATH="+home, "TMPDIR="+home, "TMP="+home, "TEMP="+home, "KUBECONFIG="+configIn(home),
		"KUBE_EDITOR="+helperName, "KUBECTL_EXTERNAL_DIFF="+helperName)
}

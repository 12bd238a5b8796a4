package cluster

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// command converts the pod's container to a command of this machine.
func (p *Pod) command(ctx context.Context) (harness.Command, error) {
	container := &p.spec.Spec.Containers[0]
	path, err := p.node.programOf(container.Image)(ctx)
	if err != nil {
		return harness.Command{}, err
	}
	if err := os.MkdirAll(p.dir, 0o700); err != nil { // a pod may have no volume in it
		return harness.Command{}, err
	}
	env := p.environment(container)
	replace := p.replacements(container, env)
	var args []string
	words := container.Args
	if len(container.Command) > 1 { // its first word is the program
		words = append(container.Command[1:], words...)
	}
	for _, arg := range words {
		args = append(args, replace.Replace(arg))
	}
	command := harness.Command{Path: path, Args: args, Dir: p.dir, Env: []string{"HTTPS_PROXY=" + p.node.cluster.Network.proxy}}
	for name, value := range env {
		command.Env = append(command.Env, name+"="+replace.Replace(value))
	}
	if strings.HasPrefix(filepath.Base(path), "flowcontrol-apiserver") && strings.HasPrefix(words[0], "--") { // not a subcommand
		kubeconfig, err := p.kubeconfig(ctx)
		if err != nil {
			return harness.Command{}, err
		}
		command.Args = append(command.Args, "--bind-address="+p.local, "--kubeconfig="+kubeconfig)
	}
	return command, nil
}

// environment returns the container's variables. Of the pod's fields it knows
// names and addresses.
func (p *Pod) environment(container *corev1.Container) map[string]string {
	fields := map[string]string{
		"metadata.name": p.spec.Name, "metadata.namespace": p.spec.Namespace, "metadata.uid": string(p.spec.UID),
		"status.podIP": p.ip, "status.hostIP": "127.0.0.1", "spec.nodeName": nodeName, "spec.serviceAccountName": p.spec.Spec.ServiceAccountName,
	}
	env := map[string]string{}
	for _, variable := range container.Env {
		env[variable.Name] = variable.Value
		if from := variable.ValueFrom; from != nil && from.FieldRef != nil {
			env[variable.Name] = fields[from.FieldRef.FieldPath]
		}
	}
	return env
}

// replacements replace paths and addresses of a container with this machine's.
func (p *Pod) replacements(container *corev1.Container, env map[string]string) *strings.Replacer {
	pairs := []string{"https://$(HOST_IP):2379", p.node.cluster.Etcd.URL} // kubeadm runs etcd at a port of the node
	for name, value := range env {
		pairs = append(pairs, "$("+name+")", value)
	}
	for _, mount := range container.VolumeMounts {
		for i := range p.spec.Spec.Volumes {
			if volume := &p.spec.Spec.Volumes[i]; volume.Name == mount.Name {
				pairs = append(pairs, mount.MountPath, p.volumes.path(volume))
			}
		}
	}
	return strings.NewReplacer(append(pairs, "0.0.0.0", p.local)...)
}

// kubeconfig writes a kubeconfig with a token of the pod's service account, bound
// to the pod as kubelet's tokens are. A restarted process uses the same file, so
// it does not need kube-apiserver.
func (p *Pod) kubeconfig(ctx context.Context) (string, error) {
	file := filepath.Join(p.dir, "kubeconfig")
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		BoundObjectRef: &authenticationv1.BoundObjectReference{Kind: "Pod", APIVersion: "v1", Name: p.spec.Name, UID: p.spec.UID},
	}}
	token, err := p.node.cluster.Client.CoreV1().ServiceAccounts(p.spec.Namespace).CreateToken(ctx, p.spec.Spec.ServiceAccountName, request, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return file, p.node.cluster.KubeAPIServer.WriteKubeconfig(file, token.Status.Token)
}

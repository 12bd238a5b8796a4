package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// volumes maps a pod's volumes to directories of this machine.
type volumes struct {
	node *Node
	dir  string            // has one directory for each volume
	last map[string]string // the last contents, by volume, to detect changes
	// claims are the UIDs of the claims, by name: a claim that is deleted and created
	// again has a new, empty volume.
	claims map[string]types.UID
}

// claim finds out which claims the pod has.
func (v *volumes) claim(ctx context.Context, pod *corev1.Pod) error {
	for i := range pod.Spec.Volumes {
		source := pod.Spec.Volumes[i].PersistentVolumeClaim
		if source == nil || v.claims[source.ClaimName] != "" {
			continue
		}
		claim, err := v.node.cluster.Client.CoreV1().PersistentVolumeClaims(pod.Namespace).Get(ctx, source.ClaimName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		v.claims[source.ClaimName] = claim.UID
	}
	return nil
}

// sync writes the contents of each volume to its directory. All files of a volume
// change at once, as with kubelet.
func (v *volumes) sync(pod *corev1.Pod) error {
	for i := range pod.Spec.Volumes {
		volume := &pod.Spec.Volumes[i]
		files, err := v.files(pod.Namespace, &volume.VolumeSource)
		if err != nil {
			return fmt.Errorf("volume %s: %w", volume.Name, err)
		}
		if err := v.write(volume, files); err != nil {
			return fmt.Errorf("volume %s: %w", volume.Name, err)
		}
	}
	return nil
}

// path returns the directory of a volume.
func (v *volumes) path(volume *corev1.Volume) string {
	if claim := volume.PersistentVolumeClaim; claim != nil {
		return filepath.Join(v.node.dir, "claims", string(v.claims[claim.ClaimName])) // outlives the pod
	}
	return filepath.Join(v.dir, volume.Name)
}

// files returns the contents of a Secret's volume by file name.
func (v *volumes) files(namespace string, source *corev1.VolumeSource) (map[string][]byte, error) {
	if source.Secret == nil {
		return nil, nil
	}
	secret, err := v.node.secrets.Secrets(namespace).Get(source.Secret.SecretName)
	if err != nil {
		return nil, err
	}
	return secret.Data, nil
}

// write writes the files to a new directory, switches the symbolic link to it, and
// removes the old directory. The volume's file names are links through that link.
func (v *volumes) write(volume *corev1.Volume, files map[string][]byte) error {
	name, top := volume.Name, v.path(volume)
	if err := os.MkdirAll(top, 0o755); err != nil {
		return err
	}
	state := fmt.Sprint(files)
	if files == nil || v.last[name] == state {
		return nil
	}
	version, err := os.MkdirTemp(top, "..")
	if err != nil {
		return err
	}
	for file, content := range files {
		if err := os.WriteFile(filepath.Join(version, file), content, 0o600); err != nil {
			return err
		}
		link := filepath.Join(top, file)
		if _, err := os.Lstat(link); err == nil {
			continue
		}
		if err := os.Symlink(filepath.Join("..data", file), link); err != nil {
			return err
		}
	}
	next := filepath.Join(top, "..data_next")
	if err := os.Symlink(filepath.Base(version), next); err != nil {
		return err
	}
	v.last[name] = state
	data := filepath.Join(top, "..data")
	last, lastErr := os.Readlink(data)
	if err := os.Rename(next, data); err != nil || lastErr != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(top, last)) // file watchers notice the removal
}

package binaries

import (
	"context"
	"path/filepath"
	"strings"
)

// Replacement makes the module to build programs and tests of a Kubernetes release, such as
// 1.33.13, with pkg/apf in place of the library's engine. It returns the module's folder, where the
// go command needs -mod=mod.
func Replacement(ctx context.Context, release string) (folder string, err error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	p := kubeAPIServerOf("v" + release)
	if p.prepare != nil {
		if _, err := p.prepare(ctx, root); err != nil {
			return "", err
		}
	}
	folder, err = run(ctx, filepath.Join(root, "test", "replacement", "module.sh"), release, filepath.Join(root, filepath.FromSlash(p.module)))
	return strings.TrimSpace(folder), err
}

// Package configversion reads the configuration files of a newer kube-apiserver. A file loads
// if it means the same here. If it sets a field of a later release, the error names the field
// and the release.
//
// Where the library of this build knows the version or the field, nothing here has an effect.
package configversion

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/apis/apiserver/install"
	"sigs.k8s.io/yaml"
)

// v1 is the version of AuthenticationConfiguration and TracingConfiguration since Kubernetes
// 1.34, which changed nothing else.
const v1, v1beta1 = "v1", "v1beta1"

// v1Line finds the version of a configuration, in YAML and in JSON.
var v1Line = regexp.MustCompile(`(["']?apiVersion["']?\s*:\s*["']?` + regexp.QuoteMeta(apiserver.GroupName) + `/)v1(["'\s,}]|$)`)

// Known returns the configuration in a version that the library knows: v1 becomes v1beta1 if
// the library has the kind as v1beta1 only. Other data is returned as it is.
func Known(data []byte) []byte {
	var kind runtime.TypeMeta
	if err := yaml.Unmarshal(data, &kind); err != nil {
		return data // the decoder says what is wrong
	}
	scheme := runtime.NewScheme()
	install.Install(scheme)
	group := schema.GroupVersion{Group: apiserver.GroupName, Version: v1}
	older := schema.GroupVersion{Group: apiserver.GroupName, Version: v1beta1}
	if kind.APIVersion != group.String() || scheme.Recognizes(group.WithKind(kind.Kind)) || !scheme.Recognizes(older.WithKind(kind.Kind)) {
		return data
	}
	return v1Line.ReplaceAll(data, []byte("${1}"+v1beta1+"${2}"))
}

// KnownFile returns the path of a file with what Known returns, for a reader of the library
// that takes a path. It is the same path if nothing changes. remove removes the copy.
func KnownFile(path string) (known string, remove func(), err error) {
	data, _ := os.ReadFile(path) // the reader of the library says what is wrong
	changed := Known(data)
	if bytes.Equal(changed, data) {
		return path, func() {}, nil
	}
	folder, err := os.MkdirTemp("", "configuration")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(folder) }
	known = filepath.Join(folder, filepath.Base(path))
	if err := os.WriteFile(known, changed, 0o600); err != nil {
		remove()
		return "", nil, err
	}
	return known, remove, nil
}

package binaries

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// derived returns a program of one version of another module, MODULE@VERSION, that is built in a
// module of its own. The checksum database of Go vouches for what that requires.
func derived(name, version, pkg string) program {
	module, number, _ := strings.Cut(version, "@")
	folder := ".cache/modules/" + name + "-" + number
	return program{name: name, module: folder, pkg: module + pkg, prepare: func(ctx context.Context, root string) ([]string, error) {
		return []string{"-mod=mod"}, derive(ctx, filepath.Join(root, filepath.FromSlash(folder)), version)
	}}
}

// derive writes go.mod, unless it is there: it requires one version of another module, and
// replaces what that replaces by versions. Kubernetes replaces its staging folders, which are
// released under versions of their own.
func derive(ctx context.Context, folder, version string) error {
	path := filepath.Join(folder, "go.mod")
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	module, number, _ := strings.Cut(version, "@")
	var download struct{ GoMod string }
	if err := goJSON(ctx, &download, "mod", "download", "-json", version); err != nil {
		return err
	}
	type named struct{ Path, Version string }
	var itself struct {
		GoDebug []struct{ Key, Value string }
		Replace []struct{ Old, New named }
	}
	if err := goJSON(ctx, &itself, "mod", "edit", "-json", download.GoMod); err != nil {
		return err
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "module derived\n\ngo 1.26.0\n\nrequire %s %s\n\n", module, number)
	for _, setting := range itself.GoDebug {
		fmt.Fprintf(&text, "godebug %s=%s\n", setting.Key, setting.Value)
	}
	for _, r := range itself.Replace {
		if strings.HasPrefix(r.New.Path, "../") { // a neighbour of the same release
			continue
		}
		if strings.HasPrefix(r.New.Path, "./staging/") {
			r.New = named{r.Old.Path, "v0" + strings.TrimPrefix(number, "v1")}
		}
		line := strings.Join([]string{"replace", r.Old.Path, r.Old.Version, "=>", r.New.Path, r.New.Version}, " ")
		fmt.Fprintln(&text, strings.Join(strings.Fields(line), " ")) // a version may be missing
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

// goJSON decodes what a go command prints.
func goJSON(ctx context.Context, to any, arguments ...string) error {
	output, err := run(ctx, "go", arguments...)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(output), to)
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// download brings the modules of both releases into the module cache.
func (n *next) download(ctx context.Context) (err error) {
	content, err := os.ReadFile(filepath.Join(n.root, "go.mod"))
	if err != nil {
		return err
	}
	var modules []string
	for _, match := range regexp.MustCompile(`(?m)^\t(k8s\.io/[a-z-]+) v0\.[1-9][0-9.]*( .*)?$`).FindAllStringSubmatch(string(content), -1) {
		modules = append(modules, match[1])
	}
	if err := n.chooseGo(ctx); err != nil {
		return err
	}
	if n.before, err = n.folders(ctx, modules, n.previous); err != nil {
		return err
	}
	n.after, err = n.folders(ctx, modules, n.release)
	return err
}

// module is what `go mod download -json` says of one.
type module struct{ Path, GoMod, Dir, Error string }

func (n *next) modules(ctx context.Context, paths []string, release base) (all []module, err error) {
	folder, err := os.MkdirTemp("", "next-") // without a go.mod
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	arguments := []string{"mod", "download", "-json"}
	for _, path := range paths {
		arguments = append(arguments, path+"@v"+release.version)
	}
	content, failure := n.output(ctx, folder, "go", arguments...)
	for decoder := json.NewDecoder(bytes.NewReader(content)); ; {
		var m module
		switch err := decoder.Decode(&m); {
		case err == nil:
			all = append(all, m)
		case !errors.Is(err, io.EOF):
			return nil, err
		case len(all) == 0:
			return nil, failure
		default:
			return all, nil // modules have their errors
		}
	}
}

// folders returns where the sources of modules are.
func (n *next) folders(ctx context.Context, paths []string, release base) (map[string]string, error) {
	all, err := n.modules(ctx, paths, release)
	if err != nil {
		return nil, err
	}
	folders, problems := map[string]string{}, []string(nil)
	for _, m := range all {
		if folders[m.Path] = m.Dir; m.Error != "" {
			problems = append(problems, m.Error)
		}
	}
	if problems != nil {
		return nil, fmt.Errorf("%s\ncheck the network and GOPROXY, or name another release", strings.Join(problems, "\n"))
	}
	return folders, nil
}

// chooseGo has commands run with the Go that the release requires. The go command chooses by the
// go.mod of the project, not by the module file of the base.
func (n *next) chooseGo(ctx context.Context) error {
	all, err := n.modules(ctx, []string{"k8s.io/apiserver"}, n.release)
	if err != nil {
		return err
	}
	if all[0].GoMod == "" {
		return errors.New(all[0].Error)
	}
	content, err := os.ReadFile(all[0].GoMod)
	if err != nil {
		return err
	}
	setting, err := n.output(ctx, n.root, "go", "env", "GOVERSION", "GOTOOLCHAIN")
	if err != nil {
		return err
	}
	running, choice, _ := strings.Cut(strings.TrimSpace(string(setting)), "\n")
	chosen, err := toolchain(content, running, choice)
	if err != nil || chosen == "" {
		return err
	}
	n.environment = append(n.environment, "GOTOOLCHAIN="+chosen)
	fmt.Fprintf(n.out, "k8s.io %s needs %s, not %s: all commands run with GOTOOLCHAIN=%s\n", n.release.version, chosen, running, chosen)
	if _, err := n.output(ctx, n.root, "go", "version"); err != nil {
		return fmt.Errorf("%w\ninstall %s, or set GOPROXY to a module proxy that has golang.org/toolchain", err, chosen)
	}
	return nil
}

// toolchain returns the Go that a go.mod requires, if another is running and GOTOOLCHAIN lets the
// go command download it.
func toolchain(gomod []byte, running, choice string) (string, error) {
	match := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(gomod)
	if match == nil {
		return "", errors.New("the go.mod of k8s.io/apiserver names no version of Go")
	}
	needed := "go" + string(match[1])
	if version.Compare(running, needed) >= 0 {
		return "", nil
	}
	if choice != "auto" && !strings.HasSuffix(choice, "+auto") {
		return "", fmt.Errorf("%[1]s is needed, %[2]s is running, and GOTOOLCHAIN=%[3]s does not let the go command download another: "+
			"install %[1]s, or repeat with GOTOOLCHAIN=auto in the environment", needed, running, choice)
	}
	return needed, nil
}

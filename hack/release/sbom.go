package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// writeSBOM writes the modules that a program was built from, as CycloneDX 1.6.
func (r *release) writeSBOM(ctx context.Context, name string, program []byte) error {
	cyclonedx, err := binaries.CycloneDX(ctx)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "sbom")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	path := filepath.Join(scratch, name)
	if err := os.WriteFile(path, program, 0o755); err != nil {
		return err
	}
	// Without a serial number and a time, the same program gives the same bytes.
	sbom, err := output(ctx, scratch, cyclonedx, "bin", "-json", "-std", "-noserial", "-notimestamp", "-version=v"+r.version, path)
	if err != nil {
		return err
	}
	// A program knows the modules of this repository by the folders that replace them,
	// which no scanner finds.
	return r.write(name+".cdx.json", []byte(strings.NewReplacer(`../pkg/`, module+"/pkg/", `./pkg/`, module+"/pkg/", `".."`, `"`+module+`"`, "golang/..@", "golang/"+module+"@", "(devel)", "v"+r.version).Replace(sbom)))
}

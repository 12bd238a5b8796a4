package main

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime/debug"
	"time"

	"github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/spdx/v2/common"
	"github.com/spdx/tools-golang/spdxlib"
)

// writeSBOM writes the modules that a program was built from, in SPDX 2.3.
func (r *release) writeSBOM(program string, info *debug.BuildInfo) error {
	document := r.sbom(program, info)
	if err := spdxlib.ValidateDocument(document); err != nil {
		return fmt.Errorf("the SBOM of %s: %w", program, err)
	}
	var out bytes.Buffer
	if err := json.Write(document, &out, json.Indent("  ")); err != nil {
		return err
	}
	return r.write(program+".spdx.json", out.Bytes())
}

func (r *release) sbom(program string, info *debug.BuildInfo) *spdx.Document {
	top := r.packageOf(program, module, "v"+r.version)
	document := &spdx.Document{
		SPDXVersion:       spdx.Version,
		DataLicense:       spdx.DataLicense,
		SPDXIdentifier:    "DOCUMENT",
		DocumentName:      program + " v" + r.version,
		DocumentNamespace: fmt.Sprintf("https://%s/releases/download/v%s/%s.spdx.json#%s", module, r.version, program, r.revision),
		CreationInfo: &spdx.CreationInfo{
			Creators: []common.Creator{{CreatorType: "Organization", Creator: "flowcontrol-apiserver"}},
			Created:  r.committed.UTC().Format(time.RFC3339),
		},
		Packages:      []*spdx.Package{top},
		Relationships: []*spdx.Relationship{relation("DOCUMENT", "DESCRIBES", top.PackageSPDXIdentifier)},
	}
	modules := [][2]string{{"std", info.GoVersion}}
	for _, dependency := range info.Deps {
		for dependency.Replace != nil {
			dependency = dependency.Replace
		}
		version := dependency.Version
		if version == "" || version == "(devel)" {
			version = "v" + r.version // a module of this repository
		}
		modules = append(modules, [2]string{dependency.Path, version})
	}
	for _, found := range modules {
		path := found[0]
		if len(path) > 0 && path[0] == '.' {
			path = module + "/" + path[len("./"):] // replaced by a folder of this repository
		}
		dependency := r.packageOf(path, path, found[1])
		document.Packages = append(document.Packages, dependency)
		document.Relationships = append(document.Relationships, relation(top.PackageSPDXIdentifier, "DEPENDS_ON", dependency.PackageSPDXIdentifier))
	}
	return document
}

// packageOf describes a module as a package of SPDX.
func (*release) packageOf(name, path, version string) *spdx.Package {
	id := regexp.MustCompile(`[^A-Za-z0-9.]+`).ReplaceAllString(name+"-"+version, "-")
	return &spdx.Package{
		PackageName:             name,
		PackageSPDXIdentifier:   common.ElementID("Package-" + id),
		PackageVersion:          version,
		PackageDownloadLocation: "NOASSERTION",
		PackageExternalReferences: []*spdx.PackageExternalReference{{
			Category: "PACKAGE-MANAGER", RefType: "purl", Locator: "pkg:golang/" + path + "@" + version,
		}},
	}
}

func relation(from common.ElementID, kind string, to common.ElementID) *spdx.Relationship {
	return &spdx.Relationship{
		RefA: common.MakeDocElementID("", string(from)), Relationship: kind, RefB: common.MakeDocElementID("", string(to)),
	}
}

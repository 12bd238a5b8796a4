package main

import (
	"bytes"
	"os"
	"path/filepath"
	"text/template"
)

const (
	pluginName   = "kubectl-apf"
	krewTemplate = "artifacts/kubectl-apf/apf.yaml.tmpl"
)

// writeKrewManifest writes the manifest of the plug-in for krew, if all of its archives
// were built.
func (r *release) writeKrewManifest(archives []archive) error {
	if len(archives) == 0 || len(r.platforms) > 0 {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(r.root, krewTemplate))
	if err != nil {
		return err
	}
	parsed, err := template.New(krewTemplate).Option("missingkey=error").Parse(string(text))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, map[string]any{"Release": r.version, "Archives": archives}); err != nil {
		return err
	}
	return r.write("apf.yaml", out.Bytes())
}

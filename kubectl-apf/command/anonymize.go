package command

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/record"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// keyBytes is the number of random bytes of a key that is created.
const keyBytes = 32

// pseudonyms returns the pseudonyms of the key in a file, which is created if it does not
// exist; of a new key that is forgotten, if name is empty.
func pseudonyms(name string) (*record.Pseudonyms, error) {
	if name != "" {
		key, err := os.ReadFile(name)
		if err == nil {
			p, err := record.NewPseudonyms(bytes.TrimSpace(key))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return p, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	random := make([]byte, keyBytes)
	_, _ = rand.Read(random) // it never fails
	key := hex.AppendEncode(nil, random)
	if name != "" {
		if err := writeNew(name, append(key, '\n'), 0o600); err != nil {
			return nil, err
		}
	}
	return record.NewPseudonyms(key)
}

// writeNew writes a file that must not exist.
func writeNew(name string, content []byte, mode os.FileMode) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// validateConfiguration returns an error unless the file of the configuration may be
// written.
func (r *recordCommand) validateConfiguration() error {
	switch r.configuration {
	case "":
		return nil
	case r.output.name:
		return errors.New("--configuration-output and -o must be different files")
	default:
		return trace.CheckNew(r.configuration, r.output.force)
	}
}

// hiddenConfiguration returns the configuration with pseudonyms as YAML.
func (r *recordCommand) hiddenConfiguration(ctx context.Context, p *record.Pseudonyms) ([]byte, error) {
	from, err := r.looking.open(r.env)
	if err != nil {
		return nil, err
	}
	c, err := from.Configuration(ctx)
	if err != nil {
		return nil, err
	}
	schemas, err := p.FlowSchemas(c.FlowSchemas)
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, level := range p.PriorityLevels(c.PriorityLevels) {
		if out, err = appendYAML(out, level); err != nil {
			return nil, err
		}
	}
	for _, schema := range schemas {
		if out, err = appendYAML(out, schema); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// appendYAML appends an object as a document.
func appendYAML(out []byte, object any) ([]byte, error) {
	text, err := yaml.Marshal(object)
	if err != nil {
		return nil, err
	}
	return append(append(out, "---\n"...), text...), nil
}

func (r *recordCommand) writeConfiguration(content []byte) error {
	if r.output.force {
		if err := os.Remove(r.configuration); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := writeNew(r.configuration, content, 0o644); err != nil {
		return err
	}
	return writeText(r.env.Out, r.configuration+": the configuration with the same pseudonyms\n")
}

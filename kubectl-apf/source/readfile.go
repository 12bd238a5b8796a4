package source

import (
	"errors"
	"fmt"
	"strings"

	strictjson "sigs.k8s.io/json"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/plain"
)

// ReadFile parses a file. Errors name it.
func ReadFile[T any](path string, parse func([]byte) (T, error)) (T, error) {
	var none T
	content, err := plain.ReadFile(path, plain.Default().File)
	if err != nil {
		return none, err
	}
	parsed, err := parse(content)
	if err != nil {
		return none, fmt.Errorf("%s: %w", path, err)
	}
	return parsed, nil
}

// Unmarshal decodes a YAML document. It is an error, of one line, if a field is unknown or there
// twice.
func Unmarshal(document []byte, into any) error {
	text, duplicates, err := toJSON(document)
	if err = errors.Join(err, duplicates); err == nil {
		var faults []error
		faults, err = strictjson.UnmarshalStrict(text, into)
		err = errors.Join(append(faults, err)...)
	}
	if err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return nil
}

package identity

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/apis/apiserver/install"
	"k8s.io/apiserver/pkg/apis/apiserver/validation"
	authenticationcel "k8s.io/apiserver/pkg/authentication/cel"
)

// configReader reads AuthenticationConfigurations of every version that the
// library has.
type configReader struct {
	decoder  runtime.Decoder
	compiler authenticationcel.Compiler
}

func newConfigReader(compiler authenticationcel.Compiler) *configReader {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	return &configReader{
		decoder:  serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDecoder(),
		compiler: compiler,
	}
}

// read decodes and validates. Unknown and repeated fields are errors.
func (r *configReader) read(data []byte) (*apiserver.AuthenticationConfiguration, error) {
	if len(data) == 0 {
		return nil, errors.New("must hold an AuthenticationConfiguration, is empty")
	}
	object, err := runtime.Decode(r.decoder, data)
	if err != nil {
		return nil, fmt.Errorf("must hold an AuthenticationConfiguration as YAML or JSON: %w", err)
	}
	configuration, ok := object.(*apiserver.AuthenticationConfiguration)
	if !ok {
		return nil, fmt.Errorf("must hold an AuthenticationConfiguration, holds another kind (%T)", object)
	}
	if err := validation.ValidateAuthenticationConfiguration(r.compiler, configuration, nil).ToAggregate(); err != nil {
		return nil, err
	}
	return configuration, nil
}

package identity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/apis/apiserver/install"
	"k8s.io/apiserver/pkg/apis/apiserver/validation"
	authenticationcel "k8s.io/apiserver/pkg/authentication/cel"
	reloadmetrics "k8s.io/apiserver/pkg/server/options/authenticationconfig/metrics"
	"k8s.io/klog/v2"
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

// configFollower reads the file of --authentication-config again and again and
// puts what it says into force. What cannot be put into force is logged and
// counted, and the last good configuration stays.
//
// The file is compared by content: it is small, and a mounted ConfigMap changes
// through links that a watch on the file would lose.
type configFollower struct {
	file     string
	reader   *configReader
	build    func(*apiserver.AuthenticationConfiguration) (*jwtSet, error)
	tokens   *jwtSwitch
	serverID string
	// anonymous is what the first configuration says. It cannot change, since
	// what was decided from it at the start would not follow.
	anonymous *apiserver.AnonymousAuthConfig
	// seen is the content that was put into force or that never can be.
	seen []byte

	// patience is how long the issuers of a new configuration have to answer, poll
	// the time between two looks at whether they did.
	patience, poll time.Duration
}

func newConfigFollower(
	file string, reader *configReader, content []byte, anonymous *apiserver.AnonymousAuthConfig,
	build func(*apiserver.AuthenticationConfiguration) (*jwtSet, error), tokens *jwtSwitch, serverID string,
) *configFollower {
	reloadmetrics.RegisterMetrics()
	return &configFollower{
		file: file, reader: reader, build: build, tokens: tokens, serverID: serverID,
		anonymous: anonymous.DeepCopy(), seen: content,
		patience: time.Minute, poll: 100 * time.Millisecond,
	}
}

// run looks at the file once in every interval until ctx ends.
func (f *configFollower) run(ctx context.Context, interval time.Duration) {
	wait.UntilWithContext(ctx, f.look, interval)
}

// look reads the file once and puts it into force if it has changed.
func (f *configFollower) look(ctx context.Context) {
	changed, err := f.follow(ctx)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		klog.ErrorS(err, "The authentication configuration stays as it was", "file", f.file)
		reloadmetrics.RecordAuthenticationConfigAutomaticReloadFailure(f.serverID)
	case changed:
		klog.InfoS("The authentication configuration was read again", "file", f.file)
		reloadmetrics.RecordAuthenticationConfigAutomaticReloadSuccess(f.serverID)
	}
}

// follow tells whether a new configuration is in force. After an error it is tried
// again at the next look, unless the content itself is wrong.
func (f *configFollower) follow(ctx context.Context) (bool, error) {
	data, err := os.ReadFile(f.file)
	if err != nil || bytes.Equal(data, f.seen) {
		return false, err
	}
	configuration, err := f.reader.read(data)
	if err == nil && !apiequality.Semantic.DeepEqual(f.anonymous, configuration.Anonymous) {
		err = errors.New("anonymous: may not change while the server runs; restart it to change what anonymous requests may reach")
	}
	if err != nil {
		f.seen = data
		return false, err
	}
	set, err := f.build(configuration)
	if err != nil {
		return false, err
	}
	if err := f.awaitReady(ctx, set); err != nil {
		set.retire()
		return false, err
	}
	f.tokens.replace(set)
	f.seen = data
	return true, nil
}

// awaitReady gives the issuers their time to answer: until they have, the new
// configuration would let nobody in.
func (f *configFollower) awaitReady(ctx context.Context, set *jwtSet) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, f.poll, f.patience, true, func(context.Context) (bool, error) {
		last = set.ready()
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("an issuer did not tell its keys within %s: %w", f.patience, errors.Join(last, err))
	}
	return nil
}

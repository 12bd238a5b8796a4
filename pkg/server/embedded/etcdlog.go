package embedded

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

const (
	infoVerbosity  = 4
	debugVerbosity = 6
)

// newEtcdLogger returns the logger of etcd. A fatal entry or a panic ends only the
// goroutine that logs it, and its error is reported, so that the server can stop
// in order. Etcd acknowledges nothing afterwards, because every acknowledgement
// waits for that goroutine.
func newEtcdLogger(logger logr.Logger, failure failure) *zap.Logger {
	hook := fatalHook{failure}
	return zap.New(&etcdLogCore{logger: logger}, zap.WithFatalHook(hook), zap.WithPanicHook(hook))
}

// etcdLogCore writes the entries of zap to a logr.Logger.
type etcdLogCore struct {
	logger logr.Logger
	fields []zapcore.Field
}

var _ zapcore.Core = (*etcdLogCore)(nil)

func (c *etcdLogCore) Enabled(level zapcore.Level) bool {
	return level >= zapcore.ErrorLevel || c.logger.V(verbosityOf(level)).Enabled()
}

func (c *etcdLogCore) With(fields []zapcore.Field) zapcore.Core {
	return &etcdLogCore{logger: c.logger, fields: slices.Concat(c.fields, fields)}
}

func (c *etcdLogCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(entry.Level) && !isExpected(entry) {
		return checked.AddCore(entry, c)
	}
	return checked
}

func (c *etcdLogCore) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	values := keysAndValues(slices.Concat(c.fields, fields))
	if isOfNewDirectory(values) {
		return nil
	}
	if entry.Level >= zapcore.ErrorLevel {
		c.logger.Error(nil, entry.Message, values...)
		return nil
	}
	c.logger.V(verbosityOf(entry.Level)).Info(entry.Message, values...)
	return nil
}

func (c *etcdLogCore) Sync() error { return nil }

func verbosityOf(level zapcore.Level) int {
	switch {
	case level >= zapcore.WarnLevel:
		return 0
	case level >= zapcore.InfoLevel:
		return infoVerbosity
	default:
		return debugVerbosity
	}
}

func keysAndValues(fields []zapcore.Field) []any {
	values := make([]any, 0, 2*len(fields))
	for _, field := range fields {
		encoder := zapcore.NewMapObjectEncoder()
		field.AddTo(encoder)
		values = append(values, field.Key, encoder.Fields[field.Key])
	}
	return values
}

// fatalHook ends the goroutine instead of the process.
type fatalHook struct{ failure failure }

var _ zapcore.CheckWriteHook = fatalHook{}

func (h fatalHook) OnWrite(entry *zapcore.CheckedEntry, fields []zapcore.Field) {
	parts := []string{entry.Message}
	for pair := range slices.Chunk(keysAndValues(fields), 2) {
		parts = append(parts, fmt.Sprintf("%v: %v", pair[0], pair[1]))
	}
	h.failure.report(errors.New(strings.Join(parts, ", ")))
	runtime.Goexit()
}

// failure holds the first error that ends etcd.
type failure chan error

func newFailure() failure { return make(failure, 1) }

func (f failure) report(err error) {
	select {
	case f <- err:
	default:
	}
}

// reportedOr returns the reported error if there is one, and err otherwise.
func (f failure) reportedOr(err error) error {
	select {
	case reported := <-f:
		return reported
	default:
		return err
	}
}

// isExpected reports whether an entry is a warning of every start or stop of this
// etcd: HTTP and gRPC share a socket, the election begins while the configuration
// is still being read, and Close closes the listener. etcd 3.6 and later also dislike the
// default name, and report the closed listener as an error; an error of a listener that is
// not closed ends etcd, and is reported so.
func isExpected(entry zapcore.Entry) bool {
	return slices.ContainsFunc([]string{
		"Running http and grpc server on single port", "pending configuration changes to apply",
		"stopping insecure grpc server", "stopped insecure grpc server",
		"it isn't recommended to use default name", "setting up serving from embedded etcd failed",
	}, func(text string) bool { return strings.Contains(entry.Message, text) })
}

// isOfNewDirectory reports whether an entry of etcd 3.6 and later says that a new directory has
// no version yet.
func isOfNewDirectory(values []any) bool {
	return slices.ContainsFunc(values, func(value any) bool {
		text, _ := value.(string)
		return strings.Contains(text, "missing term information")
	})
}

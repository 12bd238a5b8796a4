package embedded

import (
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

// newEtcdLogger is the logger etcd gets. Where etcd would end the process by a
// fatal entry or a panic, the failure is recorded and the goroutine that logged
// ends instead, so that the server can stop in order. Nothing is acknowledged
// after that, since every acknowledgement waits for the goroutine that is gone.
func newEtcdLogger(logger logr.Logger, failure *failure) *zap.Logger {
	hook := fatalHook{failure}
	return zap.New(&etcdLogCore{logger: logger}, zap.WithFatalHook(hook), zap.WithPanicHook(hook))
}

// etcdLogCore hands zap's entries to a logr.Logger.
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

// fatalHook turns the end of the process into the end of a goroutine.
type fatalHook struct{ failure *failure }

var _ zapcore.CheckWriteHook = fatalHook{}

func (h fatalHook) OnWrite(entry *zapcore.CheckedEntry, fields []zapcore.Field) {
	h.failure.report(&entryError{message: entry.Message, values: keysAndValues(fields)})
	runtime.Goexit()
}

// isExpected holds for warnings that every start and stop of this etcd may give:
// of HTTP and gRPC on one socket, of an election called while the configuration
// is still being read, and of the listener that Close closes.
func isExpected(entry zapcore.Entry) bool {
	return strings.HasPrefix(entry.Message, "Running http and grpc server on single port") ||
		strings.Contains(entry.Message, "pending configuration changes to apply") ||
		strings.HasPrefix(entry.Message, "stopping insecure grpc server") ||
		strings.HasPrefix(entry.Message, "stopped insecure grpc server")
}

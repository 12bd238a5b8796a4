package embedded

import (
	"fmt"
	"runtime/debug"

	"github.com/go-logr/logr"
	"go.uber.org/zap"
)

// Guard calls f with a logger for etcd's libraries and returns its error. They report
// damaged data and full disks by errors, panics, memory faults and fatal log entries;
// each becomes the error of Guard. After an error, goroutines and files may stay
// open until the process ends.
func Guard(log logr.Logger, f func(*zap.Logger) error) error {
	failed, result := newFailure(), make(chan error, 1)
	go func() {
		debug.SetPanicOnFault(true)
		err := errStoppedEarly
		defer func() {
			if problem := recover(); problem != nil {
				err = fmt.Errorf("panic: %v", problem)
			}
			result <- failed.reportedOr(err)
		}()
		err = f(newEtcdLogger(log, failed))
	}()
	select {
	case err := <-result:
		return err
	case err := <-failed.channel: // of another goroutine that f may wait for
		return err
	}
}

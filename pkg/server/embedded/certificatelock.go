package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	certificateLockName = "certificates.lock"
	// certificateLockInterval separates two attempts, and certificateLockTimeout bounds
	// all: a holder writes a few small files.
	certificateLockInterval = 20 * time.Millisecond
	certificateLockTimeout  = 10 * time.Second
)

// LockCertificates excludes other writers of the certificates and of the kubeconfig, in
// this process and others, until unlock. RenewCertificates, which runs beside a server,
// takes this lock too, unlike that on the directory. The error says that another
// process has held it for 10 seconds, or that it cannot be taken.
func (d *DataDirectory) LockCertificates(ctx context.Context) (unlock func() error, err error) {
	return lockCertificates(ctx, d.path)
}

func lockCertificates(ctx context.Context, directory string) (unlock func() error, err error) {
	path := filepath.Join(directory, certificateLockName)
	var lock *fileutil.LockedFile
	err = wait.PollUntilContextTimeout(ctx, certificateLockInterval, certificateLockTimeout, true, func(context.Context) (bool, error) {
		lock, err = fileutil.TryLockFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, secretMode)
		if errors.Is(err, fileutil.ErrLocked) {
			return false, nil
		}
		return err == nil, err
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case wait.Interrupted(err):
		return nil, fmt.Errorf("certificates in %s are locked by another process; wait for it to end, or stop it", directory)
	case err != nil:
		return nil, fmt.Errorf("certificates in %s cannot be locked: %w; make %s writable", directory, err, path)
	}
	return lock.Close, nil
}

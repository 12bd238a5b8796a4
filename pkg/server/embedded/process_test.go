package embedded

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// The tests need processes that are killed, run as another user, or crash on
// damaged data. Each process runs this binary with a role.
const (
	roleVariable = "EMBEDDED_TEST_ROLE"
	pathVariable = "EMBEDDED_TEST_PATH"
	nobody       = 65534
	// serveWithin is the prefix of a role. The role ends with the time limit for
	// etcd's start.
	serveWithin = "serve within "
)

func TestMain(m *testing.M) {
	role, ok := os.LookupEnv(roleVariable)
	if !ok {
		os.Exit(m.Run())
	}
	if err := play(role, os.Getenv(pathVariable)); err != nil {
		fmt.Printf("error: %v\n", err)
		os.Exit(1)
	}
}

func play(role, path string) error {
	if role == "dial" {
		connection, err := net.Dial("unix", path)
		if err != nil {
			return err
		}
		fmt.Println("connected")
		return connection.Close()
	}
	if role == "explain" {
		return explainStart(path, errors.New("cannot write to WAL directory"))
	}

	dir, err := OpenDataDirectory(path)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }() // without a use the collector may close it, and release the lock
	fmt.Println("opened")
	if role == "open" {
		return waitForParent()
	}

	if role == "mark" {
		if err := prepareStore(dir.etcdPath()); err != nil {
			return err
		}
		fmt.Println("marked")
		return waitForParent()
	}

	if file, ok := strings.CutPrefix(role, "die at first sight of "); ok {
		go dieAtFirstSight(filepath.Join(dir.etcdPath(), file))
		role = "serve"
	}
	if role == "serve on a full disk" {
		if err := fillDisk(4096); err != nil {
			return err
		}
	}
	limit := eventually.Grace
	if given, ok := strings.CutPrefix(role, serveWithin); ok {
		if limit, err = time.ParseDuration(given); err != nil {
			return err
		}
		role = "serve"
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	etcd, err := StartEtcd(ctx, dir, EtcdOptions{Log: logr.Discard()})
	if err != nil {
		return err
	}
	switch role {
	case "serve":
		fmt.Println("ready")
		return waitForParent()
	case "write until the disk is full":
		return writeToFullDisk(etcd)
	}
	return errors.New("no such role")
}

// fillDisk makes every later write beyond an offset in a file, in bytes, fail.
func fillDisk(offset uint64) error {
	signal.Ignore(syscall.SIGXFSZ)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: offset, Max: offset})
}

// writeToFullDisk returns the failure of an etcd that cannot write its log.
func writeToFullDisk(etcd *Etcd) error {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{etcd.Endpoint()}})
	if err != nil {
		return err
	}
	if err := fillDisk(0); err != nil {
		return err
	}
	acknowledged := make(chan error, 1)
	go func() {
		_, err := client.Put(context.Background(), "key", "value")
		acknowledged <- err
	}()
	select {
	case err := <-etcd.Failed():
		return err
	case err := <-acknowledged:
		return fmt.Errorf("the write ended first, with %w", err)
	}
}

// dieAtFirstSight kills this process with SIGKILL as soon as a file exists. It
// polls without a pause, because etcd writes the next file within a
// millisecond.
func dieAtFirstSight(file string) {
	for {
		if _, err := os.Stat(file); err == nil {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		runtime.Gosched()
	}
}

func waitForParent() error {
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// child is this test binary in a role.
type child struct {
	t       *testing.T
	command *exec.Cmd
	input   io.Closer // the child ends when it is closed
	lines   *bufio.Scanner
}

type childOption func(*exec.Cmd)

// asNobody runs the child as another user if the tests run as root. It starts
// the binary through /proc, because that user may not enter the binary's
// folder.
func asNobody(command *exec.Cmd) {
	if os.Geteuid() == 0 {
		command.Path = "/proc/self/exe"
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
}

// inheriting gives the child an open file as descriptor 3.
func inheriting(file *os.File) childOption {
	return func(command *exec.Cmd) { command.ExtraFiles = []*os.File{file} }
}

func startChild(t *testing.T, role, path string, options ...childOption) *child {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(executable)
	command.Env = append(os.Environ(), roleVariable+"="+role, pathVariable+"="+path)
	command.Stderr = os.Stderr
	for _, option := range options {
		option(command)
	}
	input, err := command.StdinPipe()
	require.NoError(t, err)
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	c := &child{t: t, command: command, input: input, lines: bufio.NewScanner(output)}
	t.Cleanup(c.kill)
	return c
}

// next returns the next line of the child.
func (c *child) next() string {
	c.t.Helper()
	require.True(c.t, c.lines.Scan(), "the child ended without another line")
	return c.lines.Text()
}

// rejection returns the error that ended the child.
func (c *child) rejection() string {
	c.t.Helper()
	require.NoError(c.t, c.input.Close())
	for c.lines.Scan() {
		if message, ok := strings.CutPrefix(c.lines.Text(), "error: "); ok {
			return message
		}
	}
	require.Fail(c.t, "the child ended without an error")
	return ""
}

// kill ends the child with SIGKILL and returns when it is gone.
func (c *child) kill() {
	if c.command.ProcessState != nil {
		return
	}
	_ = c.command.Process.Kill()
	_ = c.command.Wait()
}

func openDirectory(t *testing.T, path string) *DataDirectory {
	t.Helper()
	dir, err := OpenDataDirectory(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = dir.Close() })
	return dir
}

// modeOf returns the permissions of a file.
func modeOf(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Mode().Perm()
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(content)
}

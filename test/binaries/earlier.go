package binaries

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// earlierCommit is the last commit before metrics and alerts of the checks of kube-apiserver got their
// names. Stored objects and flags are as today.
const earlierCommit = "4a7c2b2c52606dede3bfe9acbd4739465b98b083"

// Earlier builds this project's server as it was before, and returns the path of the binary. An upgrade
// begins with it.
func Earlier(ctx context.Context) (string, error) {
	return built.named(ctx, "flowcontrol-apiserver-earlier")
}

// EarlierTree returns the folder with the files of that commit.
func EarlierTree(ctx context.Context) (folder string, err error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	folder = filepath.Join(root, filepath.FromSlash(earlierProgram().module))
	return folder, extract(ctx, root, earlierCommit, folder)
}

func earlierProgram() program {
	return program{
		name: "flowcontrol-apiserver-earlier", module: ".cache/earlier/" + earlierCommit[:12], pkg: "./cmd/flowcontrol-apiserver",
		prepare: func(ctx context.Context, _ string) ([]string, error) {
			_, err := EarlierTree(ctx)
			return nil, err
		},
	}
}

// extract writes the files of a commit to a folder, unless it is there.
func extract(ctx context.Context, root, commit, folder string) error {
	if _, err := os.Stat(folder); err == nil {
		return nil
	}
	if _, err := run(ctx, "git", "-C", root, "cat-file", "-e", commit); err != nil {
		return fmt.Errorf("the clone lacks the commit %s, from which the test upgrades: run 'git fetch --unshallow': %w", commit, err)
	}
	parts := folder + ".parts"
	if err := os.MkdirAll(parts, 0o755); err != nil {
		return err
	}
	archive := parts + ".tar"
	defer func() { _ = os.Remove(archive) }()
	if _, err := run(ctx, "git", "-C", root, "archive", "--output="+archive, commit); err != nil {
		return err
	}
	if _, err := run(ctx, "tar", "-xf", archive, "-C", parts); err != nil {
		return err
	}
	return os.Rename(parts, folder)
}

package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.uber.org/zap"
)

// restoringName is the directory for restoring a store, itself a data directory. Its store is moved
// when it is complete.
const restoringName = "restoring"

// Member describes a member of an etcd, as a restored store must have it. PeerURL may be
// several, separated by commas.
type Member struct {
	Name, PeerURL, InitialCluster, ClusterToken string
}

// ThisMember returns the member of every embedded etcd.
func ThisMember() Member {
	config := etcdConfig("", &socket{}, zap.NewNop())
	return Member{
		Name:           config.Name,
		PeerURL:        config.AdvertisePeerUrls[0].String(),
		InitialCluster: config.InitialCluster,
		ClusterToken:   config.InitialClusterToken,
	}
}

// NewStore is a data directory into which a store is restored.
type NewStore struct {
	dir, restoring *DataDirectory
	created        bool
}

// CreateStore creates a data directory, or takes an empty one, and locks it. The
// caller calls Complete or Abandon.
func CreateStore(path string) (*NewStore, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("data directory %s: %w; give an absolute path", path, err)
	}
	there, err := checkEmpty(absolute)
	if err != nil {
		return nil, err
	}
	dir, err := OpenDataDirectory(absolute)
	if err != nil {
		return nil, err
	}
	restoring, err := OpenDataDirectory(filepath.Join(dir.Path(), restoringName))
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return &NewStore{dir: dir, restoring: restoring, created: !there}, nil
}

// checkEmpty reports whether the directory exists. One with a file in it is an error.
func checkEmpty(path string) (there bool, err error) {
	entries, err := os.ReadDir(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("data directory %s cannot be read: %w; name a new one", path, err)
	}
	for _, entry := range entries {
		if entry.Name() == restoringName {
			return false, fmt.Errorf("data directory %s holds what an interrupted restore left; remove it and restore again", path)
		}
	}
	if len(entries) > 0 {
		return false, fmt.Errorf("data directory %s is not empty (%s, ...); restore into a new one, nothing is overwritten", path, entries[0].Name())
	}
	return true, nil
}

// Directory is the data directory where the store is made and checked.
func (n *NewStore) Directory() *DataDirectory { return n.restoring }

// EtcdPath is the directory of etcd that is to be made.
func (n *NewStore) EtcdPath() string { return n.restoring.etcdPath() }

// Complete moves the store that was made to its place and releases the directory.
func (n *NewStore) Complete() error {
	err := os.Rename(n.restoring.etcdPath(), n.dir.etcdPath())
	if err == nil {
		err = SyncDirectory(n.dir.Path())
	}
	if err != nil {
		return errors.Join(err, n.Abandon())
	}
	return errors.Join(n.restoring.Close(), os.RemoveAll(n.restoring.Path()), SyncDirectory(n.dir.Path()), n.dir.Close())
}

// Abandon removes what was made.
func (n *NewStore) Abandon() error {
	err := errors.Join(n.restoring.Close(), os.RemoveAll(n.restoring.Path()))
	err = errors.Join(err, os.RemoveAll(n.dir.pkiPath()), os.Remove(filepath.Join(n.dir.Path(), lockName)), n.dir.Close())
	if n.created {
		err = errors.Join(err, os.Remove(n.dir.Path()))
	}
	return err
}

// CopyCertificates copies the certificates and keys of another data directory, which
// may be in use, and returns the names of the files. Its CA must be complete.
func (n *NewStore) CopyCertificates(from string) (names []string, err error) {
	if err := ensurePrivateDirectory(n.dir.pkiPath()); err != nil {
		return nil, err
	}
	for _, name := range []string{"ca", "serving", "admin"} {
		source := filepath.Join(from, "pki", name)
		pair := &parsedKeyPair{KeyPair: KeyPair{CertificateFile: source + ".crt", KeyFile: source + ".key"}}
		if err := errors.Join(pair.readCertificate(), pair.readKey()); err != nil {
			return nil, err
		}
		switch complete := pair.certificate != nil && pair.key != nil; {
		case !complete && name == "ca":
			return nil, fmt.Errorf("%s has no CA: %s or %s does not exist; name the data directory of the old server, or have new certificates issued",
				from, pair.CertificateFile, pair.KeyFile)
		case !complete:
			continue // issued again by the copied CA
		case !pair.key.PublicKey.Equal(pair.certificate.PublicKey):
			return nil, fmt.Errorf("%s is not the key of %s; name a directory whose files belong together, or have new certificates issued", pair.KeyFile, pair.CertificateFile)
		}
		target := filepath.Join(n.dir.pkiPath(), name)
		if err := errors.Join(
			writeFileAtomically(target+".key", pair.KeyPEM, secretMode),
			writeFileAtomically(target+".crt", pair.CertificatePEM, publicMode),
		); err != nil {
			return nil, fmt.Errorf("certificates cannot be copied: %w", err)
		}
		names = append(names, name+".crt", name+".key")
	}
	return names, SyncDirectory(n.dir.pkiPath())
}

// checkRestored returns an error if a restore into the directory was interrupted. An
// empty store would otherwise take its place.
func checkRestored(dir *DataDirectory) error {
	restoring, err := exists(filepath.Join(dir.Path(), restoringName))
	if err != nil || !restoring {
		return err
	}
	complete, err := exists(filepath.Join(dir.etcdPath(), memberName))
	if err != nil || complete {
		return err
	}
	return fmt.Errorf("a restore into data directory %s was interrupted; remove the directory and restore again", dir.Path())
}

package chaos

import (
	"fmt"
	"time"
)

// Ack is a write that was acknowledged to a client.
type Ack struct {
	// Client is the number of the client. The acks of a client are in their order.
	Client int
	// At is when the answer came, since the start of the run.
	At             time.Duration
	Resource, Name string
	Token, Version int64
	// Content is the digest of the object in the answer.
	Content string
}

func (a Ack) String() string {
	return fmt.Sprintf("the write of %s %s with token %d, acknowledged to client %d at version %d", a.Resource, a.Name, a.Token, a.Client, a.Version)
}

// CheckAcknowledged compares acknowledged writes with those in etcd: each is there, at
// its version, as it was answered, and none was made twice.
func CheckAcknowledged(acks []Ack, journal Journal) (errs []error) {
	stored := map[int64]Write{}
	tokens := map[int64]Write{}
	journal.each(func(before *Write, write Write) {
		stored[write.Version] = write
		if write.Deleted || write.Token == 0 || isStatus(before, write) {
			return
		}
		if first, ok := tokens[write.Token]; ok {
			errs = append(errs, fmt.Errorf("a write was applied twice: %v, and again as %v", first, write))
		}
		tokens[write.Token] = write
	})
	versions := map[int64]Ack{}
	for _, ack := range acks {
		if other, ok := versions[ack.Version]; ok {
			errs = append(errs, fmt.Errorf("one version was given twice: %v; %v", other, ack))
		}
		versions[ack.Version] = ack
		write, ok := stored[ack.Version]
		switch {
		case !ok:
			errs = append(errs, fmt.Errorf("an acknowledged write was lost: %v; etcd has no such version", ack))
		case write.key() != key{ack.Resource, ack.Name} || write.Token != ack.Token || write.Content != ack.Content:
			errs = append(errs, fmt.Errorf("an acknowledged write is not what is stored: %v; stored: %v", ack, write))
		}
	}
	return errs
}

// isStatus reports whether a write changed nothing of a schema but its status.
func isStatus(before *Write, write Write) bool {
	return write.Resource == Schemas && before != nil && before.Spec == write.Spec
}

// CheckVersions holds that the versions of each client's writes rise, and the versions of etcd's
// writes.
func CheckVersions(acks []Ack, journal Journal) (errs []error) {
	last := map[int]Ack{}
	for _, ack := range acks {
		if before, ok := last[ack.Client]; ok && ack.Version <= before.Version {
			errs = append(errs, fmt.Errorf("versions do not rise: %v; after it %v", before, ack))
		}
		last[ack.Client] = ack
	}
	version := int64(0)
	for _, write := range journal.Writes {
		if write.Version <= version {
			errs = append(errs, fmt.Errorf("versions do not rise in etcd: %v follows version %d", write, version))
		}
		version = write.Version
	}
	return errs
}

package backup

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// pageKeys is how many keys are read from etcd at once.
const pageKeys = 500

// Contents is what a store holds at its revision.
type Contents struct {
	// Revision is the revision of the store.
	Revision int64
	// Objects is the number of objects of each resource below the prefix.
	Objects map[string]int
	// Encrypted is how many of them are encrypted, and so could not be decoded.
	Encrypted int
	// Unreadable are the keys below the prefix whose values are no objects, each with
	// the reason.
	Unreadable []string
	// OtherKeys is the number of all other keys.
	OtherKeys int

	prefix string
	digest [sha256.Size]byte // of all keys and values
	others map[string]int    // the first two segments of the other keys
}

// newContents examines the keys and values of a store.
func newContents(revision int64, values map[string][]byte, reader objectReader) *Contents {
	c := &Contents{Revision: revision, Objects: map[string]int{}, prefix: reader.prefix, digest: digestOf(values), others: map[string]int{}}
	for _, resource := range Resources() {
		c.Objects[resource] = 0
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		resource, name := reader.resourceOf(key)
		if resource == "" {
			c.OtherKeys++
			c.others[beginning(key)]++
			continue
		}
		encrypted, err := reader.check(name, values[key])
		switch {
		case err != nil:
			c.Unreadable = append(c.Unreadable, fmt.Sprintf("%s: %v", key, err))
		case encrypted:
			c.Encrypted++
			c.Objects[resource]++
		default:
			c.Objects[resource]++
		}
	}
	return c
}

// Check returns an error if the store is none of flow control: it has no object below
// the prefix.
func (c *Contents) Check() error {
	total := 0
	for _, count := range c.Objects {
		total += count
	}
	switch {
	case total > 0:
		return nil
	case len(c.Unreadable) > 0:
		return fmt.Errorf("no object below %s can be read, the first is %s", c.prefix, c.Unreadable[0])
	case c.OtherKeys == 0:
		return fmt.Errorf("the store is empty: no object is below %s", c.prefix)
	default:
		return fmt.Errorf("no FlowSchema and no PriorityLevelConfiguration is below %s, but %d other keys, most of them below %s: "+
			"it is of another cluster, or --etcd-prefix is another", c.prefix, c.OtherKeys, c.mostOthers())
	}
}

// mostOthers returns the beginning that most of the other keys have.
func (c *Contents) mostOthers() string {
	return slices.MaxFunc(slices.Sorted(maps.Keys(c.others)), func(a, b string) int { return cmp.Compare(c.others[a], c.others[b]) })
}

// beginning returns the first two segments of a key.
func beginning(key string) string {
	segments := strings.SplitAfterN(key, "/", 4)
	return strings.Join(segments[:min(3, len(segments))], "")
}

// String describes the contents in a line.
func (c *Contents) String() string {
	parts := []string{fmt.Sprintf("revision %d", c.Revision)}
	for _, resource := range Resources() {
		parts = append(parts, fmt.Sprintf("%d %s", c.Objects[resource], resource))
	}
	if c.Encrypted > 0 {
		parts = append(parts, fmt.Sprintf("%d of them encrypted", c.Encrypted))
	}
	if c.OtherKeys > 0 {
		parts = append(parts, fmt.Sprintf("%d other keys", c.OtherKeys))
	}
	return strings.Join(parts, ", ")
}

// digestOf returns a hash of keys and values.
func digestOf(values map[string][]byte) (digest [sha256.Size]byte) {
	sum := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(values)) {
		for _, part := range [][]byte{[]byte(key), values[key]} {
			sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
			sum.Write(part)
		}
	}
	return [sha256.Size]byte(sum.Sum(nil))
}

// Read returns what an etcd holds. Prefix begins the server's keys.
func Read(ctx context.Context, client *clientv3.Client, prefix string) (*Contents, error) {
	values, revision := map[string][]byte{}, int64(0)
	const first = "\x00"
	for from := first; ; {
		options := []clientv3.OpOption{clientv3.WithFromKey(), clientv3.WithLimit(pageKeys)}
		if revision > 0 {
			options = append(options, clientv3.WithRev(revision))
		}
		page, err := client.Get(ctx, from, options...)
		if err != nil {
			return nil, fmt.Errorf("keys of etcd cannot be read: %w", err)
		}
		if revision == 0 {
			revision = page.Header.Revision
		}
		for _, kv := range page.Kvs {
			values[string(kv.Key)] = kv.Value
		}
		if !page.More {
			return newContents(revision, values, newObjectReader(prefix)), nil
		}
		from = string(page.Kvs[len(page.Kvs)-1].Key) + "\x00"
	}
}

package chaos

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/histories"
)

// Resources that are stored.
const (
	Schemas = "flowschemas"
	Levels  = "prioritylevelconfigurations"
)

// Write is a change in etcd.
type Write struct {
	// At is when it was seen, since the start of the run.
	At             time.Duration
	Resource, Name string
	Version        int64
	// Deleted is set if the change removed the object. The fields below are of the
	// object after the change.
	Deleted bool
	// Token is the client's mark of its write, 0 for objects without one.
	Token int64
	// Content is the digest of package observe, Spec one without the status and what
	// servers add to each write.
	Content, Spec string
	// Level is the level of a schema, Dangling the status of its condition, "" if it
	// has none.
	Level, Dangling string
}

// NewWrite converts what etcd stored.
func NewWrite(at time.Duration, stored histories.Write) (Write, error) {
	w := Write{At: at, Resource: stored.Resource, Name: stored.Name, Version: stored.Version, Deleted: stored.Object == nil}
	if w.Deleted {
		return w, nil
	}
	observed, err := histories.ObjectOf(stored.Object)
	if err != nil {
		return w, err
	}
	w.Content = observed.Content
	object := stored.Object.DeepCopyObject()
	access, ok := object.(metav1.Object)
	if !ok {
		return w, fmt.Errorf("%s holds a %T", stored.Name, object)
	}
	if token := access.GetAnnotations()[TokenAnnotation]; token != "" {
		if w.Token, err = strconv.ParseInt(token, 10, 64); err != nil {
			return w, fmt.Errorf("the token of %s: %w", stored.Name, err)
		}
	}
	access.SetResourceVersion("")
	access.SetManagedFields(nil)
	switch object := object.(type) {
	case *flowcontrolv1.FlowSchema:
		w.Level = object.Spec.PriorityLevelConfiguration.Name
		for _, condition := range object.Status.Conditions {
			if condition.Type == flowcontrolv1.FlowSchemaConditionDangling {
				w.Dangling = string(condition.Status)
			}
		}
		object.Status = flowcontrolv1.FlowSchemaStatus{}
	case *flowcontrolv1.PriorityLevelConfiguration:
		object.Status = flowcontrolv1.PriorityLevelConfigurationStatus{}
	}
	raw, err := json.Marshal(object)
	digest := sha256.Sum256(raw)
	w.Spec = hex.EncodeToString(digest[:])
	return w, err
}

func (w Write) String() string {
	return fmt.Sprintf("%s %s, version %d, token %d, %v after the start", w.Resource, w.Name, w.Version, w.Token, w.At.Round(time.Millisecond))
}

// key identifies an object.
type key struct{ resource, name string }

func (w Write) key() key { return key{w.Resource, w.Name} }

// Journal holds all writes in the order of etcd.
type Journal struct {
	// First holds the objects before the run.
	First  []Write
	Writes []Write
}

// each calls visit with every write and the one before it of the same object, nil if
// there is none or it was a deletion.
func (j Journal) each(visit func(before *Write, write Write)) {
	last := map[key]*Write{}
	for i := range j.First {
		last[j.First[i].key()] = &j.First[i]
	}
	for i := range j.Writes {
		write := &j.Writes[i]
		visit(last[write.key()], *write)
		last[write.key()] = write
		if write.Deleted {
			delete(last, write.key())
		}
	}
}

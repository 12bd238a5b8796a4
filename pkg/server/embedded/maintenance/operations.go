package maintenance

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

// store is an etcd of one member, by its client.
type store struct {
	client *clientv3.Client
	quota  int64
}

func (s store) status(ctx context.Context) (*clientv3.StatusResponse, error) {
	return s.client.Status(ctx, s.client.Endpoints()[0])
}

// space returns the space of the database.
func (s store) space(ctx context.Context) (embedded.Space, error) {
	status, err := s.status(ctx)
	if err != nil {
		return embedded.Space{}, fmt.Errorf("status of etcd: %w", err)
	}
	return SpaceOf(status, s.quota), nil
}

// SpaceOf returns the space that the status of an etcd says.
func SpaceOf(status *clientv3.StatusResponse, quota int64) embedded.Space {
	space := embedded.Space{SizeBytes: status.DbSize, InUseBytes: status.DbSizeInUse, QuotaBytes: quota}
	for _, alarm := range Alarms(status) {
		space.NoSpace = space.NoSpace || alarm == etcdserverpb.AlarmType_NOSPACE.String()
	}
	return space
}

// Alarms returns the alarms that the status of an etcd says, for example NOSPACE.
func Alarms(status *clientv3.StatusResponse) []string {
	alarms := []string{}
	for _, problem := range status.Errors {
		if _, alarm, found := strings.Cut(problem, "alarm:"); found {
			alarms = append(alarms, strings.TrimSpace(alarm))
		}
	}
	return alarms
}

// compact removes the history of all keys.
func (s store) compact(ctx context.Context) error {
	status, err := s.status(ctx)
	if err != nil {
		return fmt.Errorf("status of etcd: %w", err)
	}
	_, err = s.client.Compact(ctx, status.Header.Revision, clientv3.WithCompactPhysical())
	if err != nil && !errors.Is(err, rpctypes.ErrCompacted) {
		return fmt.Errorf("history cannot be compacted: %w", err)
	}
	return nil
}

func (s store) defragment(ctx context.Context) error {
	if _, err := s.client.Defragment(ctx, s.client.Endpoints()[0]); err != nil {
		return fmt.Errorf("database cannot be defragmented: %w", err)
	}
	return nil
}

// disarm removes the alarm NOSPACE, and no other.
func (s store) disarm(ctx context.Context) error {
	status, err := s.status(ctx)
	if err != nil {
		return fmt.Errorf("status of etcd: %w", err)
	}
	alarm := &clientv3.AlarmMember{MemberID: status.Header.MemberId, Alarm: etcdserverpb.AlarmType_NOSPACE}
	if _, err := s.client.AlarmDisarm(ctx, alarm); err != nil {
		return fmt.Errorf("alarm NOSPACE cannot be removed: %w", err)
	}
	return nil
}

// Reclaimed is what a defragmentation did.
type Reclaimed struct {
	Before, After embedded.Space
	// Compacted is set if the history was removed, because etcd rejected writes.
	Compacted bool
	// Disarmed is set if etcd accepts writes again.
	Disarmed bool
}

// Reclaim defragments the database of an etcd. If etcd rejects writes because the
// quota was reached, it first compacts the history, and finally removes the alarm if
// the file is below nine tenths of the quota. A quota of 0 is unknown; then the alarm
// remains for the next start of the server.
func Reclaim(ctx context.Context, client *clientv3.Client, quota int64) (*Reclaimed, error) {
	s := store{client: client, quota: quota}
	before, err := s.space(ctx)
	if err != nil {
		return nil, err
	}
	result := &Reclaimed{Before: before, Compacted: before.NoSpace}
	if before.NoSpace {
		if err := s.compact(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.defragment(ctx); err != nil {
		return nil, err
	}
	if result.After, err = s.space(ctx); err != nil {
		return nil, err
	}
	if before.NoSpace && hasRoom(result.After.SizeBytes, result.After) {
		result.Disarmed, result.After.NoSpace = true, false
		return result, s.disarm(ctx)
	}
	return result, nil
}

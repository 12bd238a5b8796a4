package etcdcmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded/backup"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded/maintenance"
)

// status is what the command status shows.
type status struct {
	DataDir string `json:"dataDir"`
	// ServerPID is the process of the server, absent if none runs.
	ServerPID   int    `json:"serverPID,omitempty"`
	Version     string `json:"version"`
	Revision    int64  `json:"revision"`
	DBSizeBytes int64  `json:"dbSizeBytes"`
	DBInUse     int64  `json:"dbSizeInUseBytes"`
	// QuotaBytes is absent if no server runs, whose option it is.
	QuotaBytes int64          `json:"quotaBytes,omitempty"`
	Alarms     []string       `json:"alarms"`
	Keys       map[string]int `json:"keys"`
	// Unreadable are keys of objects that cannot be read.
	Unreadable   []string     `json:"unreadable,omitempty"`
	LastSnapshot *backup.File `json:"lastSnapshot,omitempty"`
}

// otherKeys is the name of the count of keys that are not of a resource.
const otherKeys = "other"

func newStatus(o *options) *cobra.Command {
	var output, snapshotDir string
	command := &cobra.Command{
		Use:   "status",
		Short: "Show size, revision, alarms, keys and the last snapshot of the store",
		Long: `Show the version of etcd, the size of the database and how much of it is in use, the
revision, the number of keys of each resource, alarms, the quota of a running server,
and the last snapshot that it took by --etcd-snapshot-interval.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if output != "table" && output != "json" {
				return fmt.Errorf("--output=%s must be one of table, json", output)
			}
			return o.status(command.Context(), snapshotDir, output == "json")
		},
	}
	o.addDataDir(command)
	o.addPrefix(command)
	command.Flags().StringVar(&snapshotDir, "etcd-snapshot-dir", "", "Directory of scheduled snapshots, as the server's. Empty means the directory snapshots in --data-dir.")
	command.Flags().StringVarP(&output, "output", "o", "table", "Output format: table or json.")
	return command
}

func (o *options) status(ctx context.Context, snapshotDir string, asJSON bool) error {
	return o.withStore(ctx, func(ctx context.Context, store *embedded.Store) error {
		s, err := o.readStatus(ctx, store)
		if err != nil {
			return err
		}
		files, err := backup.Directory{Path: cmp.Or(snapshotDir, filepath.Join(o.dataDir, "snapshots"))}.Files()
		if err != nil {
			return err
		}
		if len(files) > 0 {
			s.LastSnapshot = &files[len(files)-1]
		}
		if asJSON {
			encoder := json.NewEncoder(o.out)
			encoder.SetIndent("", "  ")
			return encoder.Encode(s)
		}
		return s.print(o.out, serverOf(store), o.now())
	})
}

// readStatus reads the status of a store.
func (o *options) readStatus(ctx context.Context, store *embedded.Store) (*status, error) {
	answer, err := store.Client.Status(ctx, store.Client.Endpoints()[0])
	if err != nil {
		return nil, fmt.Errorf("status of etcd: %w", err)
	}
	quota, err := store.QuotaBytes(ctx)
	if err != nil {
		return nil, err
	}
	contents, err := backup.Read(ctx, store.Client, o.prefix)
	if err != nil {
		return nil, err
	}
	keys := map[string]int{otherKeys: contents.OtherKeys}
	maps.Copy(keys, contents.Objects)
	return &status{
		DataDir:     o.dataDir,
		ServerPID:   store.PID,
		Version:     answer.Version,
		Revision:    contents.Revision,
		DBSizeBytes: answer.DbSize,
		DBInUse:     answer.DbSizeInUse,
		QuotaBytes:  quota,
		Alarms:      maintenance.Alarms(answer),
		Keys:        keys,
		Unreadable:  contents.Unreadable,
	}, nil
}

// print writes the status as tables.
func (s *status) print(out io.Writer, server string, now time.Time) error {
	quota, snapshot := "-", "none"
	if s.QuotaBytes > 0 {
		quota = fmt.Sprintf("%s (%d%% used)", humanize.IBytes(uint64(s.QuotaBytes)), 100*s.DBSizeBytes/s.QuotaBytes)
	}
	if last := s.LastSnapshot; last != nil {
		snapshot = fmt.Sprintf("%s (%s ago)", last.Path, duration.HumanDuration(now.Sub(last.Time)))
	}
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	for _, row := range [][2]string{
		{"Data directory:", s.DataDir},
		{"Server:", server},
		{"etcd version:", s.Version},
		{"Revision:", fmt.Sprint(s.Revision)},
		{"Database size:", fmt.Sprintf("%s (%s in use)", humanize.IBytes(uint64(s.DBSizeBytes)), humanize.IBytes(uint64(s.DBInUse)))},
		{"Quota:", quota},
		{"Alarms:", cmp.Or(strings.Join(s.Alarms, ", "), "none")},
		{"Last snapshot:", snapshot},
	} {
		fmt.Fprintf(table, "%s\t%s\n", row[0], row[1])
	}
	fmt.Fprintf(table, "\nRESOURCE\tKEYS\n")
	for _, resource := range append(backup.Resources(), otherKeys) {
		fmt.Fprintf(table, "%s\t%d\n", resource, s.Keys[resource])
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, key := range s.Unreadable {
		fmt.Fprintf(out, "Warning: an object cannot be read: %s\n", key)
	}
	return nil
}

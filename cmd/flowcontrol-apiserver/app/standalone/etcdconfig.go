package standalone

import (
	"net/url"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

const (
	// Ticks and the election timeout bound how long a start waits before the only
	// member elects itself: it begins one tick short of the timeout, and the
	// timeout is drawn from [5, 10) ticks, so 20 to 100 ms, where etcd's defaults
	// give 0.1 to 1 s. They have no other meaning without peers.
	tickMilliseconds     = 20
	electionMilliseconds = 100

	// Bookmarks of a quiet kind come from etcd's progress reports; etcd's default
	// of 10 minutes would leave watchers with old resource versions.
	progressInterval = 5 * time.Second
)

// etcdConfig describes a single member that listens on the socket only. Quota,
// fsync, batching and request sizes are etcd's defaults; compaction is the API
// server's.
func etcdConfig(directory string, socket *socket, logger *zap.Logger) *embed.Config {
	config := embed.NewConfig()
	config.Dir = directory
	config.ZapLoggerBuilder = embed.NewZapLoggerBuilder(logger)

	nowhere := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	config.ListenPeerUrls = nil
	config.AdvertisePeerUrls = []url.URL{nowhere}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.ListenClientUrls = []url.URL{socket.url()}
	config.AdvertiseClientUrls = []url.URL{}
	config.EnableGRPCGateway = false
	config.AuthToken = "" // whoever reaches the socket may do everything

	config.TickMs = tickMilliseconds
	config.ElectionMs = electionMilliseconds
	config.ExperimentalWatchProgressNotifyInterval = progressInterval
	return config
}

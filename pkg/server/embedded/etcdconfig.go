package embedded

import (
	"net/url"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// Bookmarks of a quiet kind come from etcd's progress reports; etcd's default of
// 10 minutes would leave watchers with old resource versions.
const progressInterval = 5 * time.Second

// etcdConfig describes a single member that listens on the socket only. Quota,
// fsync, batching, timeouts and request sizes are etcd's defaults; compaction is
// the API server's.
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

	config.ExperimentalWatchProgressNotifyInterval = progressInterval
	return config
}

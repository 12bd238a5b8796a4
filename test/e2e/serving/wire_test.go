package serving

import (
	"crypto/tls"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
)

// onlySuite is the only TLS 1.2 cipher suite that the server allows.
const onlySuite = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"

func (s *site) testCipherSuites(t *testing.T) {
	offer := func(suites ...uint16) *tls.Config {
		return &tls.Config{MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS12, CipherSuites: suites}
	}
	_, err := s.dial(t.Context(), offer(tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256))
	require.ErrorContains(t, err, "handshake failure")
	connection, err := s.dial(t.Context(), offer(tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256))
	require.NoError(t, err)
	require.Equal(t, onlySuite, tls.CipherSuiteName(connection.ConnectionState().CipherSuite))
	require.NoError(t, connection.Close())
}

// testStreams reads the first frame that the server sends.
func (s *site) testStreams(t *testing.T) {
	connection, err := s.dial(t.Context(), &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{http2.NextProtoTLS}})
	require.NoError(t, err)
	defer func() { _ = connection.Close() }()
	require.Equal(t, http2.NextProtoTLS, connection.ConnectionState().NegotiatedProtocol)
	_, err = connection.Write([]byte(http2.ClientPreface))
	require.NoError(t, err)
	framer := http2.NewFramer(connection, connection)
	require.NoError(t, framer.WriteSettings())
	frame, err := framer.ReadFrame()
	require.NoError(t, err)
	require.IsType(t, &http2.SettingsFrame{}, frame)
	limit, told := frame.(*http2.SettingsFrame).Value(http2.SettingMaxConcurrentStreams)
	require.True(t, told)
	require.EqualValues(t, 17, limit)
}

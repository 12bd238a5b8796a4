package alone

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"encoding/pem"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// TestNoSecretIsLoggedAtAnyVerbosity uses every kind of credential that a server alone
// takes, and searches its whole output for them.
func TestNoSecretIsLoggedAtAnyVerbosity(t *testing.T) {
	t.Parallel()
	const schemas, levels = v1Path + "/flowschemas", v1Path + "/prioritylevelconfigurations"
	const valid, invalid, inSocket = "valid-5e1c7a0b9d", "invalid-c24f81e6a7", "socket-90d3b7f1e5"
	tokens := fileOf(t, "tokens.csv", valid+`,alice,1,"system:masters"`+"\n")
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			s := startSite(t, nil, "-v=10", "--logging-format="+format, "--token-auth-file="+tokens)
			ask := func(token, method, path, body string, headers ...string) int {
				t.Helper()
				return send(t, anonymousClient(), method, s.URL+path, body, append(headers, "Authorization: Bearer "+token)...).Code
			}
			require.Equal(t, http.StatusOK, ask(valid, http.MethodGet, schemas, ""))
			require.Equal(t, http.StatusOK, ask(valid, http.MethodGet, schemas, "", "Impersonate-User: bob", "Impersonate-Group: system:masters"))
			require.Equal(t, http.StatusCreated, ask(valid, http.MethodPost, levels, toJSON(t, objects.LevelOf("by-token", 1))))
			require.Equal(t, http.StatusUnauthorized, ask(invalid, http.MethodGet, schemas, ""))
			require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, levels+"/by-token", "").Code, "with a certificate")
			s.askForSocket(t, inSocket)

			secrets := append(s.keys(t), valid, invalid, inSocket)
			s.Stop(t)
			output := s.Process.Output()
			require.Contains(t, output, levels+"/by-token", "requests are logged, or this test tests nothing")
			for _, secret := range secrets {
				require.NotContains(t, output, secret)
				require.NotContains(t, output, strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secret)), "="))
			}
			require.NotRegexp(t, `Bearer [^<"]`, output, "tokens of clients within the server are masked")
			require.NotContains(t, output, "PRIVATE KEY")
		})
	}
}

// askForSocket sends a token as the subprotocol of a web socket, as browsers do.
func (s *site) askForSocket(t *testing.T, token string) {
	t.Helper()
	connection, err := tls.Dial("tcp", strings.TrimPrefix(s.URL, "https://"), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
	require.NoError(t, err)
	defer func() { _ = connection.Close() }()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+v1Path+"/flowschemas?watch=1", http.NoBody)
	require.NoError(t, err)
	for name, value := range map[string]string{
		"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
		"Sec-WebSocket-Protocol": "base64url.bearer.authorization.k8s.io." + base64.RawURLEncoding.EncodeToString([]byte(token)),
	} {
		request.Header.Set(name, value)
	}
	require.NoError(t, request.Write(connection))
	answer, err := http.ReadResponse(bufio.NewReader(connection), request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusUnauthorized, answer.StatusCode)
}

// keys returns the lines of the private keys in the data directory and in the kubeconfig.
func (s *site) keys(t *testing.T) (lines []string) {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig)
	require.NoError(t, err)
	files := [][]byte{config.KeyData}
	require.NoError(t, filepath.WalkDir(s.DataDir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".key" {
			return err
		}
		content, err := os.ReadFile(path)
		files = append(files, content)
		return err
	}))
	for _, file := range files {
		block, _ := pem.Decode(file)
		if block == nil {
			continue
		}
		for line := range strings.Lines(string(pem.EncodeToMemory(block))) {
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") {
				lines = append(lines, line)
			}
		}
	}
	require.GreaterOrEqual(t, len(lines), 3*2, "keys of the CA, of the server and of the administrator")
	return lines
}

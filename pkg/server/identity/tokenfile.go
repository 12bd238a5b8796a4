package identity

import (
	"fmt"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/token/tokenfile"
)

// newTokenFile reads the file of --token-auth-file. Errors name the flag and the
// file.
func newTokenFile(file string) (authenticator.Token, error) {
	tokens, err := tokenfile.NewCSV(file)
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: must be a readable CSV file with a token, a user name, a UID and, optionally, quoted groups in each line: %w", tokenFileFlag, file, err)
	}
	return tokens, nil
}

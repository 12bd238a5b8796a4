package identity

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/apis/apiserver/validation"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	authenticationcel "k8s.io/apiserver/pkg/authentication/cel"
	"k8s.io/apiserver/plugin/pkg/authenticator/token/oidc"
	"k8s.io/client-go/util/cert"
	cliflag "k8s.io/component-base/cli/flag"
)

const (
	oidcFlagPrefix    = "oidc-"
	oidcIssuerURLFlag = "oidc-issuer-url"
	oidcClientIDFlag  = "oidc-client-id"
	oidcCAFileFlag    = "oidc-ca-file"
	oidcAlgsFlag      = "oidc-signing-algs"

	// noPrefix as the username prefix disables it.
	noPrefix = "-"
	// emailClaim has no default prefix: its values are taken to be unique among issuers.
	emailClaim = "email"
)

// OIDCOptions are the flags for one OpenID Connect issuer.
type OIDCOptions struct {
	IssuerURL string
	ClientID  string
	// CAFile is the CA bundle for the issuer's serving certificate. Empty: the host's.
	CAFile        string
	UsernameClaim string
	// UsernamePrefix is the prefix of user names. Empty: the issuer URL and "#", but
	// none for the claim email. "-": none.
	UsernamePrefix string
	GroupsClaim    string
	GroupsPrefix   string
	SigningAlgs    []string
	RequiredClaims map[string]string
}

func newOIDCOptions() OIDCOptions {
	return OIDCOptions{UsernameClaim: "sub", SigningAlgs: []string{"RS256"}}
}

func (o *OIDCOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.IssuerURL, oidcIssuerURLFlag, o.IssuerURL,
		"URL of the OpenID Connect issuer whose tokens (JWT) are accepted. The scheme must be https.")
	fs.StringVar(&o.ClientID, oidcClientIDFlag, o.ClientID,
		"Client ID, the audience that the issuer's tokens must have. Required with --oidc-issuer-url.")
	fs.StringVar(&o.CAFile, oidcCAFileFlag, o.CAFile,
		"CA bundle for the issuer's serving certificate. Default: the root CAs of the host.")
	fs.StringVar(&o.UsernameClaim, "oidc-username-claim", o.UsernameClaim,
		"Claim to use as the user name. Claims other than sub may be neither unique nor immutable.")
	fs.StringVar(&o.UsernamePrefix, "oidc-username-prefix", o.UsernamePrefix,
		"Prefix of user names. Default: the issuer URL followed by #, none for the claim email. The value - disables the prefix.")
	fs.StringVar(&o.GroupsClaim, "oidc-groups-claim", o.GroupsClaim,
		"Claim to use as the groups: a string or a list of strings. Default: no groups.")
	fs.StringVar(&o.GroupsPrefix, "oidc-groups-prefix", o.GroupsPrefix,
		"Prefix of groups.")
	fs.StringSliceVar(&o.SigningAlgs, oidcAlgsFlag, o.SigningAlgs,
		"Accepted JOSE signing algorithms, from "+strings.Join(oidc.AllValidSigningAlgorithms(), ", ")+".")
	fs.Var(cliflag.NewMapStringStringNoSplit(&o.RequiredClaims), "oidc-required-claim",
		"claim=value pair that every token must have. Repeat the flag for several claims.")
}

// enabled reports whether an issuer is configured.
func (o *OIDCOptions) enabled() bool { return o.IssuerURL != "" }

// validate returns the invalid options. changed are the --oidc-* flags on the
// command line.
func (o *OIDCOptions) validate(changed []string) []error {
	if !o.enabled() || o.ClientID == "" {
		if len(changed) == 0 && !o.enabled() && o.ClientID == "" {
			return nil
		}
		return []error{fmt.Errorf("--%s and --%s are both required by every --oidc-* flag: set both, or remove all --oidc-* flags", oidcIssuerURLFlag, oidcClientIDFlag)}
	}
	var errs []error
	for _, algorithm := range o.SigningAlgs {
		if !slices.Contains(oidc.AllValidSigningAlgorithms(), algorithm) {
			errs = append(errs, fmt.Errorf("--%s: %q must be one of %s", oidcAlgsFlag, algorithm, strings.Join(oidc.AllValidSigningAlgorithms(), ", ")))
		}
	}
	configuration := &apiserver.AuthenticationConfiguration{JWT: []apiserver.JWTAuthenticator{o.jwtAuthenticator("")}}
	for _, err := range validation.ValidateAuthenticationConfiguration(authenticationcel.NewDefaultCompiler(), configuration, nil) {
		errs = append(errs, fmt.Errorf("--oidc-* flags: %w", err))
	}
	return errs
}

// newAuthenticator does not wait for the issuer. It stops when ctx ends.
func (o *OIDCOptions) newAuthenticator(ctx context.Context) (authenticator.Token, error) {
	configuration, err := o.configuration()
	if err != nil {
		return nil, err
	}
	authenticators, err := newJWTAuthenticators(ctx, configuration, authenticationcel.NewDefaultCompiler(), o.SigningAlgs)
	if err != nil {
		return nil, fmt.Errorf("--oidc-* flags: %w", err)
	}
	return authenticators.union, nil
}

// configuration converts the flags to the AuthenticationConfiguration that is
// equivalent to them. Errors name the flag and the file.
func (o *OIDCOptions) configuration() (*apiserver.AuthenticationConfiguration, error) {
	bundle := ""
	if o.CAFile != "" {
		certificates, err := readCABundle(oidcCAFileFlag, o.CAFile)
		if err != nil {
			return nil, err
		}
		encoded, err := cert.EncodeCertificates(certificates...)
		if err != nil {
			return nil, fmt.Errorf("--%s=%s: %w", oidcCAFileFlag, o.CAFile, err)
		}
		bundle = string(encoded)
	}
	return &apiserver.AuthenticationConfiguration{JWT: []apiserver.JWTAuthenticator{o.jwtAuthenticator(bundle)}}, nil
}

func (o *OIDCOptions) jwtAuthenticator(bundle string) apiserver.JWTAuthenticator {
	result := apiserver.JWTAuthenticator{
		Issuer: apiserver.Issuer{URL: o.IssuerURL, Audiences: []string{o.ClientID}, CertificateAuthority: bundle},
		ClaimMappings: apiserver.ClaimMappings{
			Username: apiserver.PrefixedClaimOrExpression{Claim: o.UsernameClaim, Prefix: new(o.usernamePrefix())},
		},
	}
	if o.GroupsClaim != "" {
		result.ClaimMappings.Groups = apiserver.PrefixedClaimOrExpression{Claim: o.GroupsClaim, Prefix: new(o.GroupsPrefix)}
	}
	for _, claim := range slices.Sorted(maps.Keys(o.RequiredClaims)) {
		result.ClaimValidationRules = append(result.ClaimValidationRules, apiserver.ClaimValidationRule{Claim: claim, RequiredValue: o.RequiredClaims[claim]})
	}
	return result
}

func (o *OIDCOptions) usernamePrefix() string {
	switch {
	case o.UsernamePrefix == noPrefix:
		return ""
	case o.UsernamePrefix == "" && o.UsernameClaim != emailClaim:
		return o.IssuerURL + "#"
	default:
		return o.UsernamePrefix
	}
}

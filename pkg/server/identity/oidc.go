package identity

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/apis/apiserver/validation"
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

	// noPrefix asks for user names as the issuer writes them.
	noPrefix = "-"
	// emailClaim is the one claim whose values are taken to be unique among issuers.
	emailClaim = "email"
)

// OIDCOptions are the flags for one OpenID Connect issuer.
type OIDCOptions struct {
	IssuerURL string
	ClientID  string
	// CAFile is the bundle of authorities for the issuer; empty for the system's.
	CAFile        string
	UsernameClaim string
	// UsernamePrefix goes before every user name. Empty: the issuer and "#",
	// unless the claim is the e-mail address. "-": nothing.
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
		"URL (https) of the OpenID Connect issuer whose tokens are let in.")
	fs.StringVar(&o.ClientID, oidcClientIDFlag, o.ClientID,
		"The audience that the issuer's tokens must be for. Goes with --oidc-issuer-url.")
	fs.StringVar(&o.CAFile, oidcCAFileFlag, o.CAFile,
		"Bundle of authorities that sign the issuer's certificate. Default: the system's.")
	fs.StringVar(&o.UsernameClaim, "oidc-username-claim", o.UsernameClaim,
		"The claim that is the user name. Others than sub need not be unique and lasting.")
	fs.StringVar(&o.UsernamePrefix, "oidc-username-prefix", o.UsernamePrefix,
		"What goes before every user name. Default: the issuer's URL and #, nothing if the claim is email. A single - means nothing.")
	fs.StringVar(&o.GroupsClaim, "oidc-groups-claim", o.GroupsClaim,
		"The claim, a string or a list of them, that are the user's groups. Default: no groups.")
	fs.StringVar(&o.GroupsPrefix, "oidc-groups-prefix", o.GroupsPrefix,
		"What goes before every group.")
	fs.StringSliceVar(&o.SigningAlgs, oidcAlgsFlag, o.SigningAlgs,
		"The signing algorithms that are accepted, of "+strings.Join(oidc.AllValidSigningAlgorithms(), ", ")+".")
	fs.Var(cliflag.NewMapStringStringNoSplit(&o.RequiredClaims), "oidc-required-claim",
		"A claim=value that every token must have. May be given several times.")
}

// enabled tells whether an issuer is named.
func (o *OIDCOptions) enabled() bool { return o.IssuerURL != "" }

// validate refuses what no issuer can mean. given holds the --oidc-* flags of the
// command line.
func (o *OIDCOptions) validate(given []string) []error {
	if !o.enabled() || o.ClientID == "" {
		if len(given) == 0 && !o.enabled() && o.ClientID == "" {
			return nil
		}
		return []error{fmt.Errorf("--%s and --%s go together and with every other --oidc-* flag: give both, or no --oidc-* flag", oidcIssuerURLFlag, oidcClientIDFlag)}
	}
	var errs []error
	for _, algorithm := range o.SigningAlgs {
		if !slices.Contains(oidc.AllValidSigningAlgorithms(), algorithm) {
			errs = append(errs, fmt.Errorf("--%s: %q must be one of %s", oidcAlgsFlag, algorithm, strings.Join(oidc.AllValidSigningAlgorithms(), ", ")))
		}
	}
	configuration := &apiserver.AuthenticationConfiguration{JWT: []apiserver.JWTAuthenticator{o.authenticator("")}}
	for _, err := range validation.ValidateAuthenticationConfiguration(authenticationcel.NewDefaultCompiler(), configuration, nil) {
		errs = append(errs, fmt.Errorf("--oidc-* flags: %w", err))
	}
	return errs
}

// configuration returns what an AuthenticationConfiguration would say instead of
// the flags. Errors name the flag and the file.
func (o *OIDCOptions) configuration() (*apiserver.AuthenticationConfiguration, error) {
	if !o.enabled() {
		return nil, errors.New("no --" + oidcIssuerURLFlag)
	}
	bundle := ""
	if o.CAFile != "" {
		certificates, err := readCA(oidcCAFileFlag, o.CAFile)
		if err != nil {
			return nil, err
		}
		encoded, err := cert.EncodeCertificates(certificates...)
		if err != nil {
			return nil, fmt.Errorf("--%s=%s: %w", oidcCAFileFlag, o.CAFile, err)
		}
		bundle = string(encoded)
	}
	return &apiserver.AuthenticationConfiguration{JWT: []apiserver.JWTAuthenticator{o.authenticator(bundle)}}, nil
}

func (o *OIDCOptions) authenticator(bundle string) apiserver.JWTAuthenticator {
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

package size

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/names"
)

const (
	// TiersVersion is the apiVersion of a file of tiers.
	TiersVersion = names.TiersVersion
	// TiersKind is its kind.
	TiersKind = "Tiers"
)

// Tier is a number of seats that can be had, such as one of a managed control plane.
type Tier struct {
	Name string `json:"name"`
	// Seats are one API server's if PerServer, otherwise of all of them together.
	Seats     int  `json:"seats"`
	PerServer bool `json:"perServer,omitempty"`
	// Source says who documents the seats, such as a URL.
	Source string `json:"source,omitempty"`
	// Note is a sentence about what is assumed.
	Note string `json:"note,omitempty"`
}

// TierFit says whether a tier is enough.
type TierFit struct {
	Tier
	// Need is the need in the unit of the tier.
	Need   Seats  `json:"need"`
	Enough Enough `json:"enough"`
}

// fit compares a tier with the need of each of some API servers.
func (t Tier) fit(need Seats, servers int) TierFit {
	if !t.PerServer {
		need = need.times(servers)
	}
	return TierFit{Tier: t, Need: need, Enough: need.enough(t.Seats)}
}

// PerReplica returns the seats of one of some API servers.
func (t Tier) PerReplica(servers int) int {
	if t.PerServer {
		return t.Seats
	}
	return t.Seats / max(servers, 1)
}

// BuiltInTiers returns what kube-apiserver has without flags, and the tiers of managed control
// planes whose seats are public.
//
// Amazon EKS documents "API request concurrency (seats)" of its Provisioned Control Plane as
// 1700 (XL), 3400 (2XL) and 6800 (4XL), the same for EKS 1.28 and later
// (https://docs.aws.amazon.com/eks/latest/userguide/eks-provisioned-control-plane.html, and for
// prices https://aws.amazon.com/blogs/containers/amazon-eks-introduces-provisioned-control-plane).
// It does not say whether they are of one API server or of all. They are taken as of all, which
// is the smaller reading. The API also names tier-8xl, whose seats are not in these documents.
// Standard mode has no number: AWS scales it.
//
// Others are left out: Alibaba's ACK Pro has tiers in seats, and GKE and AKS have tiers, whose
// numbers of seats were not found in public documents.
func BuiltInTiers() []Tier {
	eks := func(name string, seats int) Tier {
		return Tier{
			Name: name, Seats: seats, Source: "https://docs.aws.amazon.com/eks/latest/userguide/eks-provisioned-control-plane.html",
			Note: "The seats of a tier of EKS are counted for all API servers together: its documents do not say.",
		}
	}
	return []Tier{
		{Name: "kube-apiserver", Seats: configuration.DefaultTotal, PerServer: true, Source: "the defaults of its flags"},
		eks("eks-xl", 1700), eks("eks-2xl", 3400), eks("eks-4xl", 6800),
	}
}

// tierFile is a file of tiers.
type tierFile struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Tiers      []Tier `json:"tiers"`
}

// ReadTiers reads a file of tiers, which replaces the built-in ones.
func ReadTiers(path string) ([]Tier, error) {
	return source.ReadFile(path, parseTiers)
}

func parseTiers(content []byte) ([]Tier, error) {
	var file tierFile
	if err := source.Unmarshal(content, &file); err != nil {
		return nil, err
	}
	switch {
	case file.APIVersion != TiersVersion || file.Kind != TiersKind:
		return nil, fmt.Errorf("has the apiVersion %q and the kind %q: must be %q and %q", file.APIVersion, file.Kind, TiersVersion, TiersKind)
	case len(file.Tiers) == 0:
		return nil, errors.New("has no tiers")
	}
	seen := map[string]bool{}
	for i, tier := range file.Tiers {
		switch {
		case tier.Name == "":
			return nil, fmt.Errorf("tiers[%d] has no name", i)
		case seen[tier.Name]:
			return nil, fmt.Errorf("tiers[%d] has the name %q, which another tier has", i, tier.Name)
		case tier.Seats <= 0:
			return nil, fmt.Errorf("tiers[%d] %q has %d seats: must be more than 0", i, tier.Name, tier.Seats)
		}
		seen[tier.Name] = true
	}
	return file.Tiers, nil
}

// FindTier returns the tier of a name. The error lists the names.
func FindTier(tiers []Tier, name string) (Tier, error) {
	at := slices.IndexFunc(tiers, func(t Tier) bool { return t.Name == name })
	if at >= 0 {
		return tiers[at], nil
	}
	known := make([]string, len(tiers))
	for i, t := range tiers {
		known[i] = t.Name
	}
	return Tier{}, fmt.Errorf("the tier %q is unknown: must be one of %s", name, strings.Join(known, ", "))
}

package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

const tenantsFlag = "flow-control-tenants"

// addTenantsTo adds the flag that the server was started with.
func addTenantsTo(c *cobra.Command, tenants *rules.Tenants, otherwise string) {
	c.Flags().StringVar((*string)(tenants), tenantsFlag, "",
		fmt.Sprintf("The value of --%s of flowcontrol-apiserver: %s or %s. %s", tenantsFlag, rules.NoTenants, rules.ServiceAccountNamespaces, otherwise))
}

// tenantsSeen is what addTenantsTo says of the flag of commands that ask servers.
const tenantsSeen = "By default it is inferred from the flows that the servers show."

// checkTenants returns an error unless the flag is left out, or has one of its values.
func checkTenants(tenants rules.Tenants) error {
	if tenants == "" {
		return nil
	}
	if err := tenants.Validate(); err != nil {
		return fmt.Errorf("--%s=%w", tenantsFlag, err)
	}
	return nil
}

// tenantsOf returns the value of the flag, or else what the servers show.
func tenantsOf(given rules.Tenants, replicas []replica.Replica) rules.Tenants {
	if given != "" {
		return given
	}
	return replica.Tenants(replicas)
}

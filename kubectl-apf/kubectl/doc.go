// Package kubectl finds out which requests a kubectl command sends.
//
// # How
//
// kubectl runs, as it is installed, against an API server of this package, which answers on the
// loopback and writes down what it is asked. So the requests come from the user's own kubectl:
// nothing here knows what a command does.
//
// kubectl gets a kubeconfig with this server alone and an empty home directory, which is its
// PATH too, and flags that name another server or credentials are overridden. So it reaches
// no cluster, and starts no plug-in, editor or credential helper.
//
// # Two runs
//
// Many commands decide by what they are told: apply creates an object that does not exist,
// and patches one that does. So kubectl runs twice: once every object that it asks for
// exists, and lists have one object, and once none exists, and lists are empty. What is
// sent in one of the runs only has a condition, see Request.
//
// The second run finds the discovery that the first one has cached.
package kubectl

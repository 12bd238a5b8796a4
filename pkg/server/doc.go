// Package server is the API server of flowcontrol.apiserver.k8s.io: the handler
// chain of k8s.io/apiserver, the registry of the group, and the flow control of
// pkg/apf that enforces what the registry stores. Its command is
// cmd/flowcontrol-apiserver; another program starts one as the Example does.
//
//	NewConfig -> Config.Complete  decides, from the options alone, how it runs
//	          -> New              reads files, locks the data directory, binds the
//	                              address, opens the store, installs the API group
//	          -> Server.Run       serves until its context ends, then drains
//	          -> Server.Close     stops the embedded etcd, unlocks the directory
//
// New rejects what the options alone show to be wrong before it touches a file.
// Its errors name the flag of the command that sets what is wrong.
//
// Two choices are independent: where the objects are (an embedded etcd, or the
// etcd of Config.Etcd), and who authenticates and authorizes (this server, or the
// kube-apiserver of Config.Identity).
package server

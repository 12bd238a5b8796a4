// Package adoption has no code of the product: its test is a server of
// k8s.io/apiserver that adopts flow control as package apf tells.
package adoption

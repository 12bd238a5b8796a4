package flowcontrol

// MaxFlowSeatsPercentKey is the annotation of a PriorityLevelConfiguration with the cap of
// a flow: which part of the current limit of the level, in percent from 1 to 100, one flow
// may use while requests of others wait.
const MaxFlowSeatsPercentKey = "apf.flowcontrol.apiserver.k8s.io/max-flow-seats-percent"

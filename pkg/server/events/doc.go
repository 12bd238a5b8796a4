// Package events writes Events about FlowSchemas and PriorityLevelConfigurations to the
// kube-apiserver in front, where kubectl describe shows them:
//
//   - MissingPriorityLevel: a FlowSchema has named a level that does not exist for a
//     minute. A bundle may create the level after the FlowSchema.
//   - RejectingRequests: a level rejected requests in each of three minutes.
//   - Recreated, Restored: the keeper undid the deletion or a change of a built-in object.
//   - NotEnsured: the keeper cannot create or update a built-in object.
//
// Events are bounded: what lasts is said again after 30 minutes, since Events expire after
// an hour, a pass once a minute says at most 100 things, and the recorder of client-go
// limits the Events of one object and drops what it cannot write. Replicas that say the
// same write one Event. Without permission or the API nothing is written or logged.
package events

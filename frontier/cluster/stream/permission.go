package stream

// Permissions returns the subjects that a user of the brokers must be allowed to publish to, and to subscribe to, for a job: no
// more is needed of an operator, nor of a node. They keep a user from what is beside the crawls in an account, but not from other
// crawls in it, whose streams the same subjects of JetStream reach: crawls that must be kept apart need accounts of their own.
func Permissions(job string) (publish, subscribe []string) {
	own := "cm." + job + ".>"
	return []string{own, "$KV.CM_" + job + "_ctl.>", "$O.CM_" + job + "_snap.>", "$JS.API.>"}, []string{own}
}

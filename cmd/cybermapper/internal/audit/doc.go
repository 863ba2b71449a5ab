// Package audit is the command audit: it reads access logs and says of each robot whether it kept the rules.
//
// Nouns: a log is a file of lines, perhaps compressed, and with a meter that shows how far the reading has come; the notebook
// is the file of --write-notes; a bundle is what goes to the owner of a robot.
//
// Promises: nothing but --dns asks the network. What the log says reaches the terminal as text only. The operator's notes of a
// robot go into nothing that is meant for its owner.
//
// Limits: it reads files and prints. What a line means is said in package robots/accesslog, what a robot did in
// robots/accesslog/audit, and what the site bore in robots/accesslog/strain; the page is made in auditpage.
package audit

// Package block writes server configuration, ready to be pasted, that refuses robots or slows them down.
//
// # Nouns
//
// An [Order] says who is refused and who is limited: by product token, which is what a client says of itself, or by
// network. [Order.All] returns a [Block] for each server that it is written for.
//
// # Promises
//
//   - robots.txt stays open to everybody: a robot must be able to read what it should keep.
//   - Only plain product tokens are written: nothing that a stranger chose as a name can become a setting.
//   - The tests run each Block in the real server where it is installed.
//
// # Limits
//
// Caddy limits nothing without a module, so that its Block refuses only; fail2ban reads the combined format; neither
// fail2ban nor nftables knows of robots.txt, as they act on addresses; behind proxies, whom they would ban, there is none for them.
package block

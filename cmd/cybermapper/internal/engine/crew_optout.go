package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/crawler/optout"
)

// sharedOuts are the opt-outs that the operators of all nodes have named, as this node knows.
type sharedOuts struct {
	read   int                        // texts of the list
	told   *optout.List               // what the operator of this node had named when it was shared last
	named  map[string]map[string]bool // entries, by node
	undone bool                       // since then somebody under the name of this node has lifted some
}

// A wish is what a node shares when its opt-outs have changed.
type wish struct {
	Node   string   `json:"node"`
	Added  []string `json:"added,omitempty"`
	Lifted []string `json:"lifted,omitempty"`
}

// wishEntries is how many entries a text holds at most: each is the name of a host, or shorter.
const wishEntries = 500

// shareOptOuts tells all nodes whom this one's operator names now.
func (c *crew) shareOptOuts(ctx context.Context) error {
	if err := c.readOptOuts(ctx); err != nil || c.outs.file == "" {
		return err
	}
	now := c.outs.Watcher.List()
	wishes := c.optOuts.wishes(c.node.Name(), now)
	for _, w := range wishes {
		text, err := json.Marshal(w)
		if err == nil {
			err = c.node.Share(ctx, sharedOptOuts, text)
		}
		if err != nil {
			return err
		}
	}
	c.optOuts.told, c.optOuts.undone = now, false
	if len(wishes) == 0 {
		return nil
	}
	return c.readOptOuts(ctx)
}

// wishes returns what a node has to tell of whom its operator names now. Another process of its name, whose operator names others,
// lifts what that one does not name: it is named again.
func (o *sharedOuts) wishes(name string, now *optout.List) (all []wish) {
	isNew, told := now != o.told, o.named[name]
	if !isNew && !o.undone {
		return nil
	}
	added := slices.DeleteFunc(now.Entries(), func(entry string) bool { return told[entry] })
	var lifted []string
	for entry := range told {
		if isNew && !now.Has(entry) {
			lifted = append(lifted, entry)
		}
	}
	for some := range slices.Chunk(added, wishEntries) {
		all = append(all, wish{Node: name, Added: some})
	}
	for some := range slices.Chunk(lifted, wishEntries) {
		all = append(all, wish{Node: name, Lifted: some})
	}
	return all
}

// readOptOuts takes in whom the operators of all nodes want left alone.
func (c *crew) readOptOuts(ctx context.Context) error {
	o := &c.optOuts
	texts, err := c.node.Shared(ctx, sharedOptOuts, o.read)
	if err != nil || len(texts) == 0 {
		return err
	}
	o.read += len(texts)
	for _, text := range texts {
		var w wish
		if err := json.Unmarshal(text, &w); err != nil {
			return fmt.Errorf("opt-outs of another node: %w", err)
		}
		o.take(c.node.Name(), w)
	}
	var lines strings.Builder
	for _, entries := range o.named { // those of this node's name, too: another process may have it
		for entry := range entries {
			fmt.Fprintln(&lines, entry)
		}
	}
	others, _, err := optout.Parse(strings.NewReader(lines.String()))
	if err == nil {
		c.outs.setOthers(others)
	}
	return err
}

// take takes in what a node has told, maybe this one, whose name is given.
func (o *sharedOuts) take(name string, w wish) {
	o.undone = o.undone || w.Node == name && len(w.Lifted) > 0
	if o.named == nil {
		o.named = map[string]map[string]bool{}
	}
	if o.named[w.Node] == nil {
		o.named[w.Node] = map[string]bool{}
	}
	for _, entry := range w.Added {
		o.named[w.Node][entry] = true
	}
	for _, entry := range w.Lifted {
		delete(o.named[w.Node], entry)
	}
}

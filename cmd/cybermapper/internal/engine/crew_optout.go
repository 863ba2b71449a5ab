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
	read  int                        // texts of the list
	told  *optout.List               // what the operator of this node had named when it was shared last
	named map[string]map[string]bool // entries, by node
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
	if err := c.readOptOuts(ctx); err != nil {
		return err
	}
	name := c.node.Name()
	now, told := c.outs.Watcher.List(), c.optOuts.named[name]
	if c.outs.file == "" || now == c.optOuts.told {
		return nil
	}
	added := slices.DeleteFunc(now.Entries(), func(entry string) bool { return told[entry] })
	var lifted []string
	for entry := range told {
		if !now.Has(entry) {
			lifted = append(lifted, entry)
		}
	}
	var wishes []wish
	for some := range slices.Chunk(added, wishEntries) {
		wishes = append(wishes, wish{Node: name, Added: some})
	}
	for some := range slices.Chunk(lifted, wishEntries) {
		wishes = append(wishes, wish{Node: name, Lifted: some})
	}
	for _, w := range wishes {
		text, err := json.Marshal(w)
		if err == nil {
			err = c.node.Share(ctx, sharedOptOuts, text)
		}
		if err != nil {
			return err
		}
	}
	c.optOuts.told = now
	return nil
}

// readOptOuts takes in whom the operators of other nodes want left alone.
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
		o.take(w)
	}
	var lines strings.Builder
	for node, entries := range o.named {
		if node == c.node.Name() {
			continue
		}
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

func (o *sharedOuts) take(w wish) {
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

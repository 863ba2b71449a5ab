package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// publishState remembers, beside the ledger, the tree that was published last.
const publishState = "published.json"

// Publish brings a directory of static files up to a checkpoint that was signed last: the checkpoint and the tiles of C2SP
// tlog-tiles, for a web server to hand out and for others' monitors to read. The lines themselves are not published: they name
// every page that was asked for. What is there already is not made again.
func Publish(ledgerDir, dir string, last Checkpoint) error {
	if last.Size == 0 {
		return nil
	}
	p := publisher{dir: dir}
	data, err := readFile(filepath.Join(ledgerDir, publishState))
	if err != nil || json.Unmarshal(data, &p.tree) != nil || !p.exists() || p.tree.size > last.Size {
		p.tree = Tree{}
	}
	isNew := p.tree.size == 0
	if err := p.follow(ledgerDir, last.Size); err != nil {
		return err
	}
	if p.tree.Root() != last.Root && !isNew { // what is remembered was damaged
		p.tree = Tree{}
		if err := p.follow(ledgerDir, last.Size); err != nil {
			return err
		}
	}
	if p.tree.Root() != last.Root {
		return errors.New("checkpoint: publish: the ledger does not continue its last checkpoint")
	}
	for level, row := range p.tree.rows {
		if len(row) > 0 {
			if err := p.writeRow(level, p.tree.size>>(height*(level+1)), row); err != nil {
				return err
			}
		}
	}
	if err := replace(filepath.Join(dir, "checkpoint"), last.Note); err != nil {
		return err
	}
	if data, err = json.Marshal(&p.tree); err != nil {
		return fmt.Errorf("checkpoint: publish: %w", err)
	}
	return replace(filepath.Join(ledgerDir, publishState), data)
}

// A publisher writes tiles.
type publisher struct {
	dir  string
	tree Tree
}

// follow writes the tiles up to a size.
func (p *publisher) follow(ledgerDir string, size int64) error {
	if p.tree.full = p.writeRow; p.tree.size < size {
		if err := p.tree.Follow(ledgerDir, size); err != nil {
			return fmt.Errorf("checkpoint: publish: %w", err)
		}
	}
	return nil
}

// exists reports whether a checkpoint was published there before.
func (p *publisher) exists() bool {
	_, err := os.Stat(filepath.Join(p.dir, "checkpoint"))
	return err == nil
}

// writeRow writes one tile, whole or partial.
func (p *publisher) writeRow(level int, n int64, row []tlog.Hash) error {
	return replace(filepath.Join(p.dir, tileName(level, n, row)), tileData(row))
}

// tileName is where a tile lies, whole or partial.
func tileName(level int, n int64, row []tlog.Hash) string {
	path := tlog.Tile{H: height, L: level, N: n, W: len(row)}.Path()
	return filepath.FromSlash(strings.Replace(path, fmt.Sprintf("tile/%d/", height), "tile/", 1))
}

func tileData(row []tlog.Hash) (data []byte) {
	for _, h := range row {
		data = append(data, h[:]...)
	}
	return data
}

// replace writes a file as a whole.
func replace(name string, data []byte) error {
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = os.WriteFile(name+".new", data, 0o644)
	}
	if err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		return fmt.Errorf("checkpoint: write: %w", err)
	}
	return nil
}

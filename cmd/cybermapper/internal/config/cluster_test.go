package config

import (
	"path/filepath"
	"strings"
	"testing"
)

// Ensure that a node is called by its machine and its job directory, however long the name of that is, each by another name.
func TestCluster_NodeName(t *testing.T) {
	var c Cluster
	seen := map[string]bool{}
	for _, n := range []int{1, 40, 63, 64, 65, 200} {
		for _, last := range []string{"a", "b"} {
			name := c.NodeName(filepath.Join(t.TempDir(), strings.Repeat("x", n)+last))
			if !isName.MatchString(name) || len(name) > maxNodeName || seen[name] {
				t.Errorf("a job directory of %d bytes makes a node called %q", n+1, name)
			}
			seen[name] = true
		}
	}
	if c.Node = "given"; c.NodeName(t.TempDir()) != c.Node {
		t.Errorf("NodeName is %q, want what was configured", c.NodeName(t.TempDir()))
	}
}

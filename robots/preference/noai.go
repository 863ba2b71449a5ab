package preference

import "github.com/cybermapper/cybermapper/robots"

// readNoAI reads the terms noai and noimageai, which sites of artists began to use in 2022. No specification says what they
// mean; noai is taken for a refusal of every use by models.
func readNoAI(c *Capture) (all []Statement) {
	for _, t := range c.Directives.Terms {
		if t.Effect != robots.EffectApplied {
			continue
		}
		place := InMeta
		if t.Source == robots.SourceHeader {
			place = InHeader
		}
		for _, u := range refusedBy(t.Name) {
			all = append(all, Statement{Use: u, Value: Disallow, Place: place, Text: t.Name})
		}
	}
	return all
}

func refusedBy(term string) []Use {
	switch term {
	case "noai":
		return []Use{TrainAI, AIInput, ImageAI}
	case "noimageai":
		return []Use{ImageAI}
	}
	return nil
}

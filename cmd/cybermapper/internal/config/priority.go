package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
)

// parsePriority reads an entry of priority: a number, and the regular expression of the URLs that it is for.
func parsePriority(text string) (r crawler.PriorityRule, err error) {
	number, pattern, _ := strings.Cut(strings.TrimSpace(text), " ")
	pattern = strings.TrimSpace(pattern)
	r.Priority, err = strconv.Atoi(number)
	if err != nil || pattern == "" {
		return r, fmt.Errorf("%q is not a number and a regular expression, as in \"10 /news/\"", text)
	}
	if !isPriority(r.Priority) {
		return r, fmt.Errorf("%d does not lie between %d and %d", r.Priority, -frontier.MaxPriority, frontier.MaxPriority)
	}
	r.Pattern, err = regexp.Compile(pattern)
	if err != nil {
		return r, fmt.Errorf("%q is not a regular expression: %s", pattern,
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return r, nil
}

func isPriority(n int) bool { return n >= -frontier.MaxPriority && n <= frontier.MaxPriority }

func validatePriorities(wrong complaint, texts []string) {
	for _, text := range texts {
		if _, err := parsePriority(text); err != nil {
			wrong("priority", "%s", err)
		}
	}
}

// priorities reads entries that validate has found to be good.
func priorities(texts []string) (rules []crawler.PriorityRule) {
	for _, text := range texts {
		if r, err := parsePriority(text); err == nil {
			rules = append(rules, r)
		}
	}
	return rules
}

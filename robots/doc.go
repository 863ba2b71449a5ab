// Package robots tells what a site asks of us.
package robots

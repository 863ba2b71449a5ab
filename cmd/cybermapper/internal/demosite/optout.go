package demosite

// LeftAlone is a domain whose owner has asked the operator of the demo to stay away. A page links to a host of it.
const LeftAlone = "left-alone.example"

// OptOut is the operator's list of those who asked.
const OptOut = "# asked to be left alone\n*." + LeftAlone + "\n"

// What google/robotstxt says, for TestOracles: one function that a script can call. With a checkout of that project in DIR:
//
//	g++ -O2 -std=c++17 -shared -fPIC -o librobots.so -IDIR robots/testdata/google.cc DIR/robots.cc -labsl_strings
//	GOOGLE_ROBOTSTXT=./librobots.so go test -run TestOracles ./robots
#include <string>
#include <vector>

#include "robots.h"

extern "C" bool allowed(const char* body, size_t size, const char* agent, const char* url) {
  std::vector<std::string> agents{agent};
  return googlebot::RobotsMatcher().AllowedByRobots({body, size}, &agents, url);
}

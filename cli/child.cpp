#include "cli/child.hpp"

#include <cerrno>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>

#include "stoker/error.hpp"

#include "base/child_process.hpp"

extern char** environ;

namespace stoker::cli {

Child::Child(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, 2, 1);
  const int failure = posix_spawnp(&pid_, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure == 0) return;
  throw Error(failure == ENOENT ? ErrorCode::not_found : ErrorCode::io,
              {.operation = "start",
               .object = command[0],
               .found = std::generic_category().message(failure),
               .allowed = "",
               .next_step = "give the command as a shell would, behind --"});
}

Child::~Child() {
  int status = 0;
  while (!ended_ && waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
}

std::optional<std::string> Child::ended() {
  int status = 0;
  if (!ended_ && waitpid(pid_, &status, WNOHANG) == pid_) ended_ = exit_text(status);
  return ended_;
}

}  // namespace stoker::cli

// Runs a test once for every instruction set that processor and build have. Only tests include this.
#pragma once

#include <cstdint>
#include <gtest/gtest.h>

#include <hwy/highway.h>

namespace stoker::test {

// Calls check() with Highway confined to one target at a time, from the best down.
template <class Check>
void on_every_target(const Check& check) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    check();
    hwy::SetSupportedTargetsForTest(0);
  }
}

}  // namespace stoker::test

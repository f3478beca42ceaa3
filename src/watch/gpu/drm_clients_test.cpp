#include "watch/gpu/drm_clients.hpp"

#include <filesystem>
#include <gtest/gtest.h>

#include "support/temp_dir.hpp"

namespace stoker::watch {
namespace {

// As docs.kernel.org/gpu/xe/xe-drm-usage-stats.html shows it.
constexpr const char* kXe =
    "pos:\t0\nflags:\t0100002\nmnt_id:\t26\nino:\t685\n"
    "drm-driver:\txe\ndrm-client-id:\t3\ndrm-pdev:\t0000:03:00.0\n"
    "drm-total-system:\t0\ndrm-resident-gtt:\t192 KiB\n"
    "drm-total-vram0:\t23992 KiB\ndrm-shared-vram0:\t16 MiB\ndrm-resident-vram0:\t20000 KiB\n"
    "drm-cycles-rcs:\t28257900\ndrm-total-cycles-rcs:\t7655183225\n"
    "drm-cycles-ccs:\t0\ndrm-total-cycles-ccs:\t7655183225\ndrm-engine-capacity-ccs:\t4\n";

constexpr const char* kAmd =
    "pos:\t0\ndrm-driver:\tamdgpu\ndrm-client-id:\t50\ndrm-pdev:\t0000:0a:00.0\n"
    "drm-memory-vram:\t1024 KiB\ndrm-memory-gtt:\t7 KiB\ndrm-memory-cpu:\t0 KiB\n"
    "drm-engine-gfx:\t1500000000 ns\ndrm-engine-compute:\t250000000 ns\n";

TEST(Fdinfo, CyclesOfXe) {
  const auto client = parse_fdinfo(kXe);
  ASSERT_TRUE(client);
  EXPECT_EQ(client->id, 3);
  EXPECT_EQ(client->pci, "0000:03:00.0");
  EXPECT_EQ(client->memory_bytes, 20000ULL << 10);
  EXPECT_EQ(client->engines.at("rcs").busy, 28257900);
  EXPECT_EQ(client->engines.at("rcs").total, 7655183225);
  EXPECT_EQ(client->engines.at("rcs").capacity, 1);
  EXPECT_EQ(client->engines.at("ccs").capacity, 4);
}

TEST(Fdinfo, NanosecondsOfAmdgpu) {
  const auto client = parse_fdinfo(kAmd);
  ASSERT_TRUE(client);
  EXPECT_EQ(client->memory_bytes, 1ULL << 20);
  EXPECT_DOUBLE_EQ(client->engines.at("gfx").busy, 1.5);
  EXPECT_EQ(client->engines.at("gfx").total, 0);
  EXPECT_DOUBLE_EQ(client->engines.at("compute").busy, 0.25);
}

TEST(Fdinfo, ResidentMemoryCountsOnceBesideItsOlderName) {
  const auto client = parse_fdinfo(
      "drm-driver:\tamdgpu\ndrm-client-id:\t1\ndrm-memory-vram:\t100 KiB\ndrm-resident-vram:\t90 KiB\n");
  ASSERT_TRUE(client);
  EXPECT_EQ(client->memory_bytes, 90ULL << 10);
}

TEST(Fdinfo, OtherFilesAndCutOnesAreNone) {
  EXPECT_FALSE(parse_fdinfo("pos:\t0\nflags:\t02\n"));
  EXPECT_FALSE(parse_fdinfo("drm-driver:\ti915\ndrm-pdev:\t0000:00:02.0\n"));  // without a client's id
  EXPECT_FALSE(parse_fdinfo(""));
  const auto cut =
      parse_fdinfo("drm-driver:\ti915\ndrm-client-id:\t7\ndrm-engine-render:\n: \ndrm-engine-\n");
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->engines.at("render").busy, 0);
  EXPECT_FALSE(cut->memory_bytes);
}

class Clients : public ::testing::Test {
 protected:
  void open(const std::string& pid, const std::string& file, const std::string& target,
            const std::string& text) {
    folder_.write("proc/" + pid + "/fdinfo/" + file, text);
    std::filesystem::create_directories(folder_.path("proc/" + pid + "/fd"));
    std::filesystem::create_symlink(target, folder_.path("proc/" + pid + "/fd/" + file));
  }
  test::TempDir folder_;
};

TEST_F(Clients, EachCountsOnceHoweverOftenItIsOpen) {
  open("10", "3", "/dev/dri/renderD128", kAmd);
  open("10", "4", "/dev/dri/renderD128", kAmd);
  open("11", "3", "/dev/dri/card0", kXe);
  open("12", "5", "/dev/null", kAmd);
  const DrmClients found = read_drm_clients(folder_.path("proc"));
  ASSERT_EQ(found.clients.size(), 2);
  EXPECT_EQ(found.clients[0].pid + found.clients[1].pid, 21);
  EXPECT_EQ(found.unreadable, 0);
}

TEST_F(Clients, NoProcIsNoClients) { EXPECT_TRUE(read_drm_clients(folder_.path("none")).clients.empty()); }

}  // namespace
}  // namespace stoker::watch

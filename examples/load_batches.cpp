// Loads a pack for one epoch, in batches, and says how many images came.
#include <cstdio>
#include <exception>
#include <span>

#include "stoker/loader.hpp"

namespace {

std::size_t images = 0;

void consume(const std::byte* pixels, std::span<const float> labels) {
  if (pixels) images += labels.size();
}

void load(const char* path) {
  stoker::LoaderOptions options;
  options.recipe = "imagenet_train(224)";
  options.batch_size = 256;
  stoker::Loader loader(stoker::open_records(path), options);
  while (stoker::Batch batch = loader.next()) consume(batch.images(), batch.labels());
}

}  // namespace

int main(int count, char** arguments) try {
  load(count > 1 ? arguments[1] : "train.rec");
  std::printf("%zu images\n", images);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

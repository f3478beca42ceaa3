// Whether the loops written for AVX-512 with VBMI and VNNI are the ones to use.
#pragma once

namespace stoker::image {

// This processor has the instructions, and no test confines Highway to less than AVX-512. Cheap, unlike
// hwy::SupportedTargets(), which asks the processor anew: microseconds in a virtual machine.
bool use_avx512_loops();

}  // namespace stoker::image

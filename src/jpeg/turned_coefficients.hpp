// The coefficients of a turned picture, from those of the picture: exact, where no block is cut by the edges
// that change sides. Private to src/jpeg.
#pragma once

#include <cstddef>
#include <cstdio>
#include <jpeglib.h>

#include "jpeg/turn.hpp"

namespace stoker::jpeg {

// Whether the turn moves whole blocks only: a mirror puts the last column or row first, so it must be whole
// in every component. `libjpeg` has read the header.
bool moves_whole_blocks(const jpeg_decompress_struct& libjpeg, const Turn& turn);

// Room for the turned coefficients, one array a component, in libjpeg's memory; between jpeg_read_header and
// jpeg_read_coefficients, inside LibjpegGuard::run().
jvirt_barray_ptr* request_turned(jpeg_decompress_struct& libjpeg, const Turn& turn);

// Fills that room. Source: the DCT of a mirrored block has the signs of its odd columns (rows) exchanged,
// that of a transposed one is transposed.
void turn_coefficients(jpeg_decompress_struct& libjpeg, jvirt_barray_ptr* from, jvirt_barray_ptr* to,
                       const Turn& turn);

// What a compressor has to know of a turn, behind jpeg_copy_critical_parameters: sides, sampling and
// quantisation tables exchange rows and columns where it is transposed.
void turn_parameters(jpeg_compress_struct& libjpeg, const Turn& turn);

}  // namespace stoker::jpeg

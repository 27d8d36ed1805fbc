// cuTensorMapEncodeTiled: which arguments it takes.
#include <cuda.h>

#include <string>

#include "say.hpp"

typedef CUresult (*Encode)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*,
                           const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                           CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

struct Request {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  cuuint32_t rank = 2;
  cuuint64_t offset = 0;
  cuuint64_t dims[5] = {256, 64, 4, 4, 4};
  cuuint64_t strides[4] = {512, 512 * 64, 512 * 256, 512 * 1024};
  cuuint32_t box[5] = {64, 16, 1, 1, 1};
  cuuint32_t steps[5] = {1, 1, 1, 1, 1};
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
};

Encode encode = nullptr;
char* base = nullptr;

void tell(const std::string& title, const Request& r) {
  alignas(64) CUtensorMap map;
  const int result = encode(&map, r.type, r.rank, base + r.offset, r.dims, r.strides, r.box, r.steps, r.interleave,
                            r.swizzle, r.promotion, r.fill);
  std::printf("  %-60s %d\n", title.c_str(), result);
}

template <class Change>
void with(const std::string& title, Change change) {
  Request request;
  change(request);
  tell(title, request);
}

int main() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult query{};
  SAY(cudaMalloc(&base, 1 << 20));
  SAY(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &query));
  SHOW(query);
  encode = reinterpret_cast<Encode>(function);
  SAY(cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &function, 12000, cudaEnableDefault, &query));
  SHOW(query);
  SHOW(function == nullptr);
  SAY(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 11000, cudaEnableDefault, &query));
  SHOW(query);
  SAY(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, 77, &query));
  SAY(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault));
  SAY(cudaGetLastError());
  with("the base case", [](Request&) {});
  for (int type = 0; type <= 17; ++type)
    with("type " + std::to_string(type), [&](Request& r) { r.type = static_cast<CUtensorMapDataType>(type); r.box[0] = 16; });
  for (cuuint32_t rank : {0u, 1u, 2u, 3u, 5u, 6u}) with("rank " + std::to_string(rank), [&](Request& r) { r.rank = rank; });
  for (cuuint64_t offset : {1u, 8u, 16u, 32u}) with("address + " + std::to_string(offset), [&](Request& r) { r.offset = offset; });
  for (cuuint64_t dim : {cuuint64_t{0}, cuuint64_t{1}, cuuint64_t{1} << 32, (cuuint64_t{1} << 32) + 1})
    with("dims[0] " + std::to_string(dim), [&](Request& r) { r.dims[0] = dim; });
  for (cuuint64_t dim : {cuuint64_t{0}, cuuint64_t{1}, cuuint64_t{1} << 32, (cuuint64_t{1} << 32) + 1})
    with("dims[1] " + std::to_string(dim), [&](Request& r) { r.dims[1] = dim; });
  for (cuuint64_t stride : {cuuint64_t{0}, cuuint64_t{8}, cuuint64_t{16}, cuuint64_t{24}, cuuint64_t{1} << 40, (cuuint64_t{1} << 40) - 16})
    with("strides[0] " + std::to_string(stride), [&](Request& r) { r.strides[0] = stride; });
  with("strides[1] < strides[0], rank 3", [](Request& r) { r.rank = 3; r.strides[1] = 16; });
  for (cuuint32_t box : {0u, 1u, 4u, 8u, 12u, 256u, 257u}) with("box[0] " + std::to_string(box), [&](Request& r) { r.box[0] = box; });
  for (cuuint32_t box : {0u, 1u, 256u, 257u}) with("box[1] " + std::to_string(box), [&](Request& r) { r.box[1] = box; });
  with("box 256 x 256", [](Request& r) { r.box[0] = r.box[1] = 256; });
  for (cuuint32_t step : {0u, 2u, 8u, 9u}) with("steps[0] " + std::to_string(step), [&](Request& r) { r.steps[0] = step; });
  for (cuuint32_t step : {0u, 2u, 8u, 9u}) with("steps[1] " + std::to_string(step), [&](Request& r) { r.steps[1] = step; });
  for (int swizzle = 0; swizzle <= 7; ++swizzle)
    for (cuuint32_t box : {8u, 16u, 32u, 64u, 72u, 128u})
      with("swizzle " + std::to_string(swizzle) + " box[0] " + std::to_string(box), [&](Request& r) {
        r.swizzle = static_cast<CUtensorMapSwizzle>(swizzle);
        r.box[0] = box;
      });
  for (int interleave = 0; interleave <= 3; ++interleave)
    for (cuuint32_t rank : {2u, 3u, 4u})
      for (int swizzle = 0; swizzle <= 3; ++swizzle)
        with("interleave " + std::to_string(interleave) + " rank " + std::to_string(rank) + " swizzle " + std::to_string(swizzle),
             [&](Request& r) {
               r.interleave = static_cast<CUtensorMapInterleave>(interleave);
               r.rank = rank;
               r.swizzle = static_cast<CUtensorMapSwizzle>(swizzle);
               r.box[0] = 16;
             });
  for (int promotion = 0; promotion <= 4; ++promotion)
    with("promotion " + std::to_string(promotion), [&](Request& r) { r.promotion = static_cast<CUtensorMapL2promotion>(promotion); });
  for (int type : {6, 1, 7})
    for (int fill = 0; fill <= 2; ++fill)
      with("fill " + std::to_string(fill) + " type " + std::to_string(type), [&](Request& r) {
        r.type = static_cast<CUtensorMapDataType>(type);
        r.fill = static_cast<CUtensorMapFloatOOBfill>(fill);
      });
  with("32-bit elements, box[0] 128, swizzle 128", [](Request& r) {
    r.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    r.box[0] = 128;
    r.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  });
  with("null address", [](Request& r) { r.offset = 0 - reinterpret_cast<cuuint64_t>(base); });
  Request r;
  alignas(64) CUtensorMap map;
  char* misplaced = reinterpret_cast<char*>(&map) + 8;
  const int null_map = encode(nullptr, r.type, 2, base, r.dims, r.strides, r.box, r.steps, r.interleave, r.swizzle, r.promotion, r.fill);
  const int null_dims = encode(&map, r.type, 2, base, nullptr, r.strides, r.box, r.steps, r.interleave, r.swizzle, r.promotion, r.fill);
  const int null_strides = encode(&map, r.type, 2, base, r.dims, nullptr, r.box, r.steps, r.interleave, r.swizzle, r.promotion, r.fill);
  const int null_strides_1 = encode(&map, r.type, 1, base, r.dims, nullptr, r.box, r.steps, r.interleave, r.swizzle, r.promotion, r.fill);
  const int null_box = encode(&map, r.type, 2, base, r.dims, r.strides, nullptr, r.steps, r.interleave, r.swizzle, r.promotion, r.fill);
  const int null_steps = encode(&map, r.type, 2, base, r.dims, r.strides, r.box, nullptr, r.interleave, r.swizzle, r.promotion, r.fill);
  alignas(64) char room[192];
  misplaced = room + 16;
  const int misaligned_map = encode(reinterpret_cast<CUtensorMap*>(misplaced), r.type, 2, base, r.dims, r.strides, r.box, r.steps, r.interleave, r.swizzle, r.promotion, r.fill);
  SHOW(null_map); SHOW(null_dims); SHOW(null_strides); SHOW(null_strides_1); SHOW(null_box); SHOW(null_steps); SHOW(misaligned_map);
}

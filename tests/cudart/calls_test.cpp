// Calls behind their guard, in this process and without device code: errors and their memory, streams,
// captures, graphs, pools. What they return was measured on an H200 where hardware/ has a transcript of it.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "cudart/calls.hpp"
#include "cudart/entry.hpp"

namespace lanebank::cudart {
namespace {

enum Row {
#define SHIM(name) row_##name,
#define CALL(name, fault) row_##name,
#define SAME(name, as) row_##name,
#define MISSING(name, reason) row_##name,
#include "cudart/runtime_calls.def"
#undef SHIM
#undef CALL
#undef SAME
#undef MISSING
  rows
};

const lanebank_engine* engine() {
  static const lanebank_shim shim{LANEBANK_INTERFACE_VERSION, rows, [] { return 13; },
                                  [](std::size_t, lanebank_registration*, std::size_t) -> std::size_t { return 0; }};
  static const lanebank_engine* const started = lanebank_engine_start(&shim);
  return started;
}

/// Makes a call through the table, as programs do.
#define CALL(name, ...) (reinterpret_cast<decltype(&calls::name)>(engine()->table[row_##name])(__VA_ARGS__))

TEST(LastError, IsKeptUntilRead) {
  void* pointer = nullptr;
  EXPECT_EQ(CALL(cudaMalloc, nullptr, 16), abi::cudaErrorInvalidValue);
  EXPECT_EQ(CALL(cudaMalloc, &pointer, 16), cudaSuccess);
  EXPECT_EQ(CALL(cudaPeekAtLastError), abi::cudaErrorInvalidValue);
  EXPECT_EQ(CALL(cudaGetLastError), abi::cudaErrorInvalidValue);
  EXPECT_EQ(CALL(cudaGetLastError), cudaSuccess);
  EXPECT_EQ(CALL(cudaFree, pointer), cudaSuccess);
}

TEST(LastError, BelongsToTheThread) {
  EXPECT_EQ(CALL(cudaSetDevice, 5), abi::cudaErrorInvalidDevice);
  std::thread([] { EXPECT_EQ(CALL(cudaGetLastError), cudaSuccess); }).join();
  EXPECT_EQ(CALL(cudaGetLastError), abi::cudaErrorInvalidDevice);
}

TEST(Memory, MoreThanTheDeviceHasIsRefused) {
  void* pointer = nullptr;
  std::size_t free_bytes = 0, total_bytes = 0;
  ASSERT_EQ(CALL(cudaMemGetInfo, &free_bytes, &total_bytes), cudaSuccess);
  EXPECT_LT(free_bytes, total_bytes);
  EXPECT_EQ(CALL(cudaMalloc, &pointer, total_bytes + 1), abi::cudaErrorMemoryAllocation);
  EXPECT_EQ(CALL(cudaMallocPitch, &pointer, &free_bytes, ~std::size_t{0}, 2), abi::cudaErrorMemoryAllocation);
  EXPECT_EQ(CALL(cudaGetLastError), abi::cudaErrorMemoryAllocation);
}

TEST(Launch, OfWhatIsNoKernelIsRefused) {
  int variable = 0;
  EXPECT_EQ(CALL(cudaLaunchKernel, nullptr, {}, {}, nullptr, 0, nullptr), abi::cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(CALL(cudaLaunchKernel, &variable, {}, {}, nullptr, 0, nullptr), abi::cudaErrorInvalidResourceHandle);
  EXPECT_EQ(CALL(cudaMemcpyToSymbol, &variable, &variable, 4, 0, abi::cudaMemcpyHostToDevice),
            abi::cudaErrorInvalidSymbol);
  EXPECT_EQ(CALL(cudaGetLastError), abi::cudaErrorInvalidSymbol);
}

TEST(Configurations, NestAsLaunchesDo) {
  abi::Dim3 grid, block;
  std::size_t shared = 0;
  abi::Stream stream = nullptr;
  EXPECT_EQ(CALL(__cudaPopCallConfiguration, &grid, &block, &shared, &stream), abi::cudaErrorMissingConfiguration);
  CALL(cudaGetLastError);
  EXPECT_EQ(CALL(__cudaPushCallConfiguration, {1, 2, 3}, {4, 5, 6}, 7, abi::stream_legacy), 0u);
  EXPECT_EQ(CALL(__cudaPushCallConfiguration, {8, 1, 1}, {9, 1, 1}, 10, nullptr), 0u);
  EXPECT_EQ(CALL(__cudaPopCallConfiguration, &grid, &block, &shared, &stream), cudaSuccess);
  EXPECT_EQ(grid.x, 8u);
  EXPECT_EQ(CALL(__cudaPopCallConfiguration, &grid, &block, &shared, &stream), cudaSuccess);
  EXPECT_EQ(grid.z, 3u);
  EXPECT_EQ(block.y, 5u);
  EXPECT_EQ(shared, 7u);
  EXPECT_EQ(stream, abi::stream_legacy);
}

TEST(Missing, CallsReturnNotSupported) {
  const auto call = reinterpret_cast<abi::Error (*)()>(engine()->table[row_cudaIpcGetMemHandle]);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(call(), abi::cudaErrorNotSupported);
  EXPECT_EQ(call(), abi::cudaErrorNotSupported);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("cudaIpcGetMemHandle"), std::string::npos);
  EXPECT_EQ(text.find("cudaIpcGetMemHandle"), text.rfind("cudaIpcGetMemHandle"));
  EXPECT_EQ(CALL(cudaGetLastError), abi::cudaErrorNotSupported);
}

TEST(Events, TimesGrow) {
  abi::Event events[3];
  for (abi::Event& event : events) ASSERT_EQ(CALL(cudaEventCreate, &event), cudaSuccess);
  for (abi::Event event : events) ASSERT_EQ(CALL(cudaEventRecord, event, nullptr), cudaSuccess);
  float first = 0, second = 0, both = 0;
  ASSERT_EQ(CALL(cudaEventElapsedTime, &first, events[0], events[1]), cudaSuccess);
  ASSERT_EQ(CALL(cudaEventElapsedTime, &second, events[1], events[2]), cudaSuccess);
  ASSERT_EQ(CALL(cudaEventElapsedTime, &both, events[0], events[2]), cudaSuccess);
  EXPECT_GT(first, 0);
  EXPECT_GT(second, 0);
  EXPECT_NEAR(both, first + second, 1e-6);
  for (abi::Event event : events) ASSERT_EQ(CALL(cudaEventDestroy, event), cudaSuccess);
  EXPECT_EQ(CALL(cudaEventDestroy, events[0]), abi::cudaErrorInvalidResourceHandle);
  EXPECT_EQ(CALL(cudaEventQuery, events[0]), abi::cudaErrorInvalidResourceHandle);
  CALL(cudaGetLastError);
}

TEST(Streams, HandlesOfTheDeadAreRefused) {
  abi::Stream stream = nullptr;
  ASSERT_EQ(CALL(cudaStreamCreate, &stream), cudaSuccess);
  ASSERT_EQ(CALL(cudaStreamDestroy, stream), cudaSuccess);
  EXPECT_EQ(CALL(cudaStreamDestroy, stream), abi::cudaErrorInvalidResourceHandle);
  EXPECT_EQ(CALL(cudaStreamSynchronize, stream), abi::cudaErrorInvalidResourceHandle);
  EXPECT_EQ(CALL(cudaMemcpyAsync, nullptr, nullptr, 0, abi::cudaMemcpyDefault, stream),
            abi::cudaErrorInvalidResourceHandle);
  CALL(cudaGetLastError);
}

void append(void* data) {
  auto* list = static_cast<std::vector<int>*>(data);
  list->push_back(static_cast<int>(list->size()));
}

TEST(Capture, CollectsWorkAndRunsItWhenLaunched) {
  abi::Stream a, b;
  abi::Event fork, join;
  ASSERT_EQ(CALL(cudaStreamCreate, &a), cudaSuccess);
  ASSERT_EQ(CALL(cudaStreamCreate, &b), cudaSuccess);
  ASSERT_EQ(CALL(cudaEventCreate, &fork), cudaSuccess);
  ASSERT_EQ(CALL(cudaEventCreate, &join), cudaSuccess);
  std::vector<int> order;
  abi::Graph graph = nullptr;
  abi::GraphExec exec = nullptr;
  ASSERT_EQ(CALL(cudaStreamBeginCapture, a, abi::cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(CALL(cudaLaunchHostFunc, a, append, &order), cudaSuccess);
  ASSERT_EQ(CALL(cudaEventRecord, fork, a), cudaSuccess);
  EXPECT_EQ(CALL(cudaEventQuery, fork), abi::cudaErrorCapturedEvent);
  ASSERT_EQ(CALL(cudaStreamWaitEvent, b, fork, 0), cudaSuccess);
  ASSERT_EQ(CALL(cudaLaunchHostFunc, b, append, &order), cudaSuccess);
  ASSERT_EQ(CALL(cudaEventRecord, join, b), cudaSuccess);
  ASSERT_EQ(CALL(cudaStreamWaitEvent, a, join, 0), cudaSuccess);
  ASSERT_EQ(CALL(cudaLaunchHostFunc, a, append, &order), cudaSuccess);
  ASSERT_EQ(CALL(cudaStreamEndCapture, a, &graph), cudaSuccess);
  EXPECT_TRUE(order.empty());
  std::size_t nodes = 0, edges = 0;
  ASSERT_EQ(CALL(cudaGraphGetNodes, graph, nullptr, &nodes), cudaSuccess);
  ASSERT_EQ(CALL(cudaGraphGetEdges, graph, nullptr, nullptr, nullptr, &edges), cudaSuccess);
  EXPECT_EQ(nodes, 3u);
  EXPECT_EQ(edges, 3u);
  ASSERT_EQ(CALL(cudaGraphInstantiate, &exec, graph, 0), cudaSuccess);
  ASSERT_EQ(CALL(cudaGraphDestroy, graph), cudaSuccess);
  ASSERT_EQ(CALL(cudaGraphLaunch, exec, a), cudaSuccess);
  ASSERT_EQ(CALL(cudaGraphLaunch, exec, nullptr), cudaSuccess);
  EXPECT_EQ(order.size(), 6u);
  ASSERT_EQ(CALL(cudaGraphExecDestroy, exec), cudaSuccess);
  EXPECT_EQ(CALL(cudaGraphLaunch, exec, a), abi::cudaErrorInvalidValue);
  CALL(cudaGetLastError);
}

TEST(Capture, OfAStreamThatIsNotJoinedFails) {
  abi::Stream a, b;
  abi::Event fork;
  abi::Graph graph = nullptr;
  std::vector<int> order;
  ASSERT_EQ(CALL(cudaStreamCreate, &a), cudaSuccess);
  ASSERT_EQ(CALL(cudaStreamCreate, &b), cudaSuccess);
  ASSERT_EQ(CALL(cudaEventCreate, &fork), cudaSuccess);
  ASSERT_EQ(CALL(cudaStreamBeginCapture, a, abi::cudaStreamCaptureModeRelaxed), cudaSuccess);
  ASSERT_EQ(CALL(cudaEventRecord, fork, a), cudaSuccess);
  ASSERT_EQ(CALL(cudaStreamWaitEvent, b, fork, 0), cudaSuccess);
  ASSERT_EQ(CALL(cudaLaunchHostFunc, b, append, &order), cudaSuccess);
  EXPECT_EQ(CALL(cudaStreamEndCapture, b, &graph), abi::cudaErrorStreamCaptureUnmatched);
  EXPECT_EQ(CALL(cudaStreamEndCapture, a, &graph), abi::cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(graph, nullptr);
  ASSERT_EQ(CALL(cudaStreamBeginCapture, a, abi::cudaStreamCaptureModeRelaxed), cudaSuccess);
  ASSERT_EQ(CALL(cudaEventRecord, fork, a), cudaSuccess);
  ASSERT_EQ(CALL(cudaStreamWaitEvent, b, fork, 0), cudaSuccess);
  ASSERT_EQ(CALL(cudaLaunchHostFunc, b, append, &order), cudaSuccess);
  EXPECT_EQ(CALL(cudaStreamEndCapture, a, &graph), abi::cudaErrorStreamCaptureUnjoined);
  EXPECT_TRUE(order.empty());
  EXPECT_EQ(CALL(cudaLaunchHostFunc, b, append, &order), cudaSuccess) << "b is free again";
  EXPECT_EQ(order.size(), 1u);
  CALL(cudaGetLastError);
}

TEST(UserObjects, EndWithTheLastReference) {
  int ended = 0;
  const auto end = [](void* count) { ++*static_cast<int*>(count); };
  constexpr unsigned no_destructor_sync = 1, move = 1;
  abi::UserObjectHandle object = nullptr;
  abi::Graph graph = nullptr, copy = nullptr;
  abi::GraphExec exec = nullptr;
  ASSERT_EQ(CALL(cudaUserObjectCreate, &object, &ended, end, 1, no_destructor_sync), cudaSuccess);
  ASSERT_EQ(CALL(cudaUserObjectRetain, object, 2), cudaSuccess);
  ASSERT_EQ(CALL(cudaGraphCreate, &graph, 0), cudaSuccess);
  ASSERT_EQ(CALL(cudaGraphRetainUserObject, graph, object, 1, 0), cudaSuccess);
  ASSERT_EQ(CALL(cudaGraphRetainUserObject, graph, object, 1, move), cudaSuccess);
  EXPECT_EQ(CALL(cudaUserObjectRelease, object, 3), abi::cudaErrorInvalidValue);
  EXPECT_EQ(CALL(cudaUserObjectRelease, object, 2), cudaSuccess);
  EXPECT_EQ(CALL(cudaGraphReleaseUserObject, graph, object, 1), cudaSuccess);
  ASSERT_EQ(CALL(cudaGraphClone, &copy, graph), cudaSuccess);
  ASSERT_EQ(CALL(cudaGraphInstantiate, &exec, graph, 0), cudaSuccess);
  EXPECT_EQ(CALL(cudaGraphDestroy, graph), cudaSuccess);
  EXPECT_EQ(CALL(cudaGraphDestroy, copy), cudaSuccess);
  EXPECT_EQ(ended, 0);
  EXPECT_EQ(CALL(cudaGraphExecDestroy, exec), cudaSuccess);
  EXPECT_EQ(ended, 1);
}

/// cudaGraphDebugDotPrint, which is cuGraphDebugDotPrint too.
TEST(Graphs, AreWrittenAsTextWithTheirNodesAndEdges) {
  const std::string path = ::testing::TempDir() + "graph.dot";
  abi::Graph graph = nullptr, child = nullptr;
  abi::GraphNode first = nullptr, second = nullptr, inner = nullptr;
  ASSERT_EQ(CALL(cudaGraphCreate, &graph, 0), cudaSuccess);
  ASSERT_EQ(CALL(cudaGraphCreate, &child, 0), cudaSuccess);
  ASSERT_EQ(CALL(cudaGraphAddEmptyNode, &inner, child, nullptr, 0), cudaSuccess);
  ASSERT_EQ(CALL(cudaGraphAddEmptyNode, &first, graph, nullptr, 0), cudaSuccess);
  ASSERT_EQ(CALL(cudaGraphAddChildGraphNode, &second, graph, &first, 1, child), cudaSuccess);
  EXPECT_EQ(CALL(cudaGraphDebugDotPrint, graph, nullptr, 0), abi::cudaErrorInvalidValue);
  EXPECT_EQ(CALL(cudaGraphDebugDotPrint, graph, "/no/such/folder/graph.dot", 0), abi::cudaErrorOperatingSystem);
  ASSERT_EQ(CALL(cudaGraphDebugDotPrint, graph, path.c_str(), 0), cudaSuccess);
  std::ifstream file(path);
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(file), {}}),
            "digraph dot {\nsubgraph cluster_0 {\nlabel=\"graph_0\";\n\"graph_0_node_0\"[label=\"EMPTY\"];\n"
            "\"graph_0_node_1\"[label=\"GRAPH\"];\n\"graph_0_node_0\" -> \"graph_0_node_1\";\n}\n"
            "subgraph cluster_1 {\nlabel=\"graph_1\";\n\"graph_1_node_0\"[label=\"EMPTY\"];\n}\n}\n");
  unlink(path.c_str());
}

TEST(Pools, CountWhatTheyGave) {
  abi::MemPool pool = nullptr;
  const abi::MemPoolProps props{.allocType = 1, .location = {abi::cudaMemLocationTypeDevice, 0}};
  ASSERT_EQ(CALL(cudaMemPoolCreate, &pool, &props), cudaSuccess);
  void *a = nullptr, *b = nullptr;
  ASSERT_EQ(CALL(cudaMallocFromPoolAsync, &a, 1000, pool, nullptr), cudaSuccess);
  ASSERT_EQ(CALL(cudaMallocFromPoolAsync, &b, 24, pool, nullptr), cudaSuccess);
  std::uint64_t used = 0, high = 0;
  ASSERT_EQ(CALL(cudaMemPoolGetAttribute, pool, abi::cudaMemPoolAttrUsedMemCurrent, &used), cudaSuccess);
  EXPECT_EQ(used, 1024u);
  ASSERT_EQ(CALL(cudaFreeAsync, a, nullptr), cudaSuccess);
  EXPECT_EQ(CALL(cudaFreeAsync, a, nullptr), abi::cudaErrorInvalidValue);
  ASSERT_EQ(CALL(cudaMemPoolGetAttribute, pool, abi::cudaMemPoolAttrUsedMemCurrent, &used), cudaSuccess);
  ASSERT_EQ(CALL(cudaMemPoolGetAttribute, pool, abi::cudaMemPoolAttrUsedMemHigh, &high), cudaSuccess);
  EXPECT_EQ(used, 24u);
  EXPECT_EQ(high, 1024u);
  ASSERT_EQ(CALL(cudaMemPoolDestroy, pool), cudaSuccess);
  EXPECT_EQ(CALL(cudaFree, b), cudaSuccess) << "what a pool gave outlives it";
  CALL(cudaGetLastError);
}

TEST(Fork, TakesTheDeviceAway) {
  CALL(cudaDeviceSynchronize);
  const pid_t child = fork();
  if (child == 0) {
    void* pointer = nullptr;
    int number = 0;
    bool right = CALL(cudaMalloc, &pointer, 16) == abi::cudaErrorInitializationError;
    right =
        right && CALL(cudaGetLastError) == abi::cudaErrorInitializationError && CALL(cudaGetLastError) == cudaSuccess;
    right = right && CALL(cudaGetDevice, &number) == abi::cudaErrorInitializationError;
    right = right && CALL(cudaGetDeviceCount, &number) == cudaSuccess && number == 1;
    _exit(right ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(DriverEntryPoints, AreThoseWeHave) {
  void* function = nullptr;
  abi::DriverEntryPointQueryResult status{};
  EXPECT_EQ(CALL(cudaGetDriverEntryPointByVersion, "cuTensorMapEncodeTiled", &function, 12000, 0, &status),
            cudaSuccess);
  EXPECT_EQ(status, abi::cudaDriverEntryPointSuccess);
  EXPECT_NE(function, nullptr);
  EXPECT_EQ(CALL(cudaGetDriverEntryPointByVersion, "cuTensorMapEncodeTiled", &function, 11080, 0, &status),
            cudaSuccess);
  EXPECT_EQ(status, abi::cudaDriverEntryPointVersionNotSufficent);
  // A name that no driver has is not found; one that it has and we do not is also told.
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(CALL(cudaGetDriverEntryPoint, "cuNoSuchFunction", &function, 0, &status), cudaSuccess);
  EXPECT_EQ(status, abi::cudaDriverEntryPointSymbolNotFound);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(CALL(cudaGetDriverEntryPoint, "cuIpcGetMemHandle", &function, 0, &status), cudaSuccess);
  EXPECT_EQ(status, abi::cudaDriverEntryPointSymbolNotFound);
  EXPECT_EQ(function, nullptr);
  const std::string told = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("cuIpcGetMemHandle"), std::string::npos);
  EXPECT_EQ(told.find("cuNoSuchFunction"), std::string::npos);
}

}  // namespace
}  // namespace lanebank::cudart

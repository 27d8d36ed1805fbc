constexpr int R = 32, C{R};
/* a comment */ __global__ void k() { __shared__ float t[R][C]; t[0][R"(x)"[0]] = 1; }

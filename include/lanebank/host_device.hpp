// LANEBANK_HOST_DEVICE: marks the functions of lanebank's headers that run on host and device. Nothing for compilers
// other than nvcc.
#pragma once

#ifndef LANEBANK_HOST_DEVICE
#ifdef __CUDACC__
#define LANEBANK_HOST_DEVICE __host__ __device__
#else
#define LANEBANK_HOST_DEVICE
#endif
#endif

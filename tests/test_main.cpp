// The main of every test program: a program without tests is an error, when it lists them and when it runs.
#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  if (testing::UnitTest::GetInstance()->total_test_count() == 0) {
    std::fprintf(stderr, "%s holds no test\n", argv[0]);
    return 1;
  }
  return RUN_ALL_TESTS();
}

"""launch(): kernels of nvcc and of Triton as bytes, on NumPy arrays."""
import ctypes
import os
import unittest
from pathlib import Path

import numpy as np

import lanebank

SOURCE = Path(os.environ["LANEBANK_SOURCE"])
NVCC = (SOURCE / "tests/session/data/launch_sm90.cubin").read_bytes()
TRITON = (SOURCE / "tests/python/data/triton_transpose_sm90.cubin").read_bytes()


class Triple(ctypes.Structure):
    _fields_ = [("first", ctypes.c_int), ("second", ctypes.c_double), ("third", ctypes.c_int)]


class Launch(unittest.TestCase):
    def test_a_triton_kernel_computes_and_is_counted(self):
        n = 128
        source = np.random.default_rng(1).standard_normal((n, n), dtype=np.float32)
        target = np.zeros_like(source)
        report = lanebank.launch(TRITON, "transpose", (2, 2), 128, [source, target, n, None, None], shared=16384)
        np.testing.assert_array_equal(target, source.T)
        self.assertEqual(len(report.launches), 1)
        launch = report.launches[0]
        self.assertEqual((launch.kernel, launch.arch, launch.grid, launch.block), ("transpose", "sm_90", (2, 2, 1), (128, 1, 1)))
        self.assertGreater(launch.shared.wavefronts, 0)
        self.assertEqual({row.file.split("/")[-1] for row in launch.instructions}, {"triton_transpose.py"})
        self.assertEqual(report.exit_code, 120 if launch.shared.excess or report.findings else 0)

    def test_a_conflict_is_found_and_its_cure_is_clean(self):
        source, target = np.arange(64 * 64, dtype=np.float32).reshape(64, 64), np.zeros((64, 64), dtype=np.float32)
        plain = lanebank.launch(NVCC, "transpose<0>", (2, 2), (32, 32), [source, target, 64])
        np.testing.assert_array_equal(target, source.T)
        self.assertEqual((plain.exit_code, plain.shared.wavefronts, plain.shared.ideal), (120, 4 * 32 * (1 + 32), 4 * 32 * 2))
        self.assertEqual([finding.rule for finding in plain.findings], ["bank-conflict"])
        padded = lanebank.launch(NVCC, "transpose<1>", (2, 2), (32, 32), [source, target, np.int32(64)], jobs=1)
        self.assertEqual((padded.exit_code, padded.clean, padded.shared.excess), (0, True, 0))
        self.assertIn("transpose", str(plain))

    def test_arguments_have_the_bytes_of_their_parameters(self):
        for dtype, kernel in ((np.float32, "vectors::scale(float*, float)"), (np.float64, "vectors::scale(double*, double)")):
            data = np.arange(32, dtype=dtype)
            lanebank.launch(NVCC, kernel, 1, 32, [data, 2.5])
            np.testing.assert_array_equal(data, np.arange(32) * dtype(2.5))
        given, out = np.arange(64, dtype=np.int32), np.zeros(64, dtype=np.int32)
        report = lanebank.launch(NVCC, "add", 1, 64, [given, out, Triple(1, 2.0, 3), None], shared=256)
        np.testing.assert_array_equal(out, given + 6)
        self.assertEqual(report.launches[0].dynamic_shared_bytes, 256)

    def test_arrays_within_arrays_share_their_memory(self):
        memory = np.arange(192, dtype=np.int32)
        lanebank.launch(NVCC, "add", 1, 64, [memory, memory[64:128], bytes(Triple(0, 0, 0)), memory[128:]], shared=256)
        np.testing.assert_array_equal(memory[64:128], np.arange(64) + np.arange(128, 192))
        with self.assertRaises(lanebank.UsageError) as caught:
            lanebank.launch(NVCC, "add", 1, 64, [memory[:64], memory[32:96], Triple(), None], shared=256)
        self.assertIn("overlaps argument 0 in part", str(caught.exception))

    def test_strides_are_kept_and_read_only_arrays_stay(self):
        wide = np.zeros((32, 4), dtype=np.float32)
        wide[:, 1] = 3
        lanebank.launch(NVCC, "vectors::scale(float*, float)", 1, 32, [wide[:, 1], 2.0])
        self.assertEqual((wide[:, 1].tolist(), wide[:, 0].tolist()), ([6.0] * 32, [0.0] * 32))
        fixed = np.ones(32, dtype=np.float32)
        fixed.flags.writeable = False
        lanebank.launch(NVCC, "vectors::scale(float*, float)", 1, 32, [fixed, 2.0])
        self.assertEqual(fixed.tolist(), [1.0] * 32)

    def test_checks_find_races_and_can_be_chosen(self):
        out = np.zeros(64, dtype=np.int32)
        report = lanebank.launch(NVCC, "without_barrier", 1, 64, [out])
        self.assertEqual((report.exit_code, {finding.rule for finding in report.findings}), (120, {"race"}))
        self.assertTrue(lanebank.launch(NVCC, "without_barrier", 1, 64, [out], checks="none").clean)

    def test_a_kernel_that_is_stopped_is_an_exception_with_its_report(self):
        with self.assertRaises(lanebank.CannotAnalyse) as caught:
            lanebank.launch(NVCC, "traps", 1, 32, [np.zeros(1, dtype=np.int32)])
        self.assertEqual(caught.exception.exit_code, 122)
        self.assertIsNotNone(caught.exception.report.launches[0].fault)

    def test_out_of_bounds_is_told(self):
        report = None
        try:
            report = lanebank.launch(NVCC, "vectors::scale(double*, double)", 1, 64, [np.zeros(32), 1.0])
        except lanebank.CannotAnalyse as error:
            report = error.report
        self.assertIn("out-of-bounds", {finding.rule for finding in report.findings})

    def test_wrong_use_says_what(self):
        data = np.zeros(32, dtype=np.float32)
        scale = "vectors::scale(float*, float)"
        for arguments, keywords, said in [
                ((b"no code", scale, 1, 32, [data, 1.0]), {}, "code"),
                (("no bytes", scale, 1, 32, [data, 1.0]), {}, "bytes are needed"),
                ((NVCC, "missing", 1, 32, [data, 1.0]), {}, "missing"),
                ((NVCC, "vectors::scale", 1, 32, [data, 1.0]), {}, "vectors::scale"),
                ((NVCC, scale, 1, 32, [data]), {}, "takes 2 arguments"),
                ((NVCC, scale, 1, 32, [data, np.float64(1)]), {}, "has 8 bytes, its parameter 4"),
                ((NVCC, scale, 1, 32, [data, "1"]), {}, "str"),
                ((NVCC, scale, 1, 32, [np.array([None]), 1.0]), {}, "Python objects"),
                ((NVCC, "transpose<0>", 1, 32, [data, data, 2**32]), {}, "does not fit into the 4 bytes"),
                ((NVCC, scale, 0, 32, [data, 1.0]), {}, "grid"),
                ((NVCC, scale, 1, (1, 2, 3, 4), [data, 1.0]), {}, "block"),
                ((NVCC, scale, 1, 2048, [data, 1.0]), {}, "1 to 1024 threads"),
                ((NVCC, scale, 1, 32, [data, 1.0]), {"shared": 1 << 30}, "shared memory"),
                ((NVCC, scale, 1, 32, [data, 1.0]), {"shared": -1}, "shared"),
                ((NVCC, scale, 1, 32, [data, 1.0]), {"checks": "nonsense"}, "nonsense")]:
            with self.subTest(said), self.assertRaises(lanebank.UsageError) as caught:
                lanebank.launch(*arguments, **keywords)
            self.assertIn(said, str(caught.exception))


if __name__ == "__main__":
    unittest.main()

"""wavefronts() and solve(): the model in this process, against measurements and against the command."""
import csv
import json
import os
import subprocess
import unittest
from collections import defaultdict
from pathlib import Path

import numpy as np

import lanebank

SOURCE = Path(os.environ["LANEBANK_SOURCE"])
LANES = np.arange(32)
PROBLEM = {"array": {"rows": 32, "columns": 32, "element_bytes": 4},
           "patterns": [{"name": "rows", "instruction": "st", "access_bytes": 4, "index": {"row": "k", "column": "lane", "k": [0, 32]}},
                        {"name": "columns", "instruction": "ld", "access_bytes": 4, "index": {"row": "lane", "column": "k", "k": [0, 32]}}]}


class Wavefronts(unittest.TestCase):
    @staticmethod
    def follows_a_rule(instruction, width, addresses, mask):
        """All do but copies that conflict on both sides, whose counters nobody can predict."""
        if not instruction.startswith("cp_async_ca"):
            return True
        try:
            lanebank.wavefronts(addresses, width, instruction, mask, counters=True)
        except lanebank.UsageError as error:
            if "conflicts on both sides" not in str(error):
                raise
            return False
        return True

    def test_equal_what_was_measured_on_hardware(self):
        groups = defaultdict(list)
        with open(SOURCE / "tests/data/truth/wavefronts.csv", newline="") as file:
            for row in csv.DictReader(file):
                groups[row["instruction"], int(row["access_bytes"])].append(row)
        counted = 0
        for (instruction, width), rows in groups.items():
            addresses = np.array([[int(word) for word in row["byte_addresses"].split()] for row in rows])
            masks = np.array([int(row["active_mask"], 16) for row in rows])
            measured = [int(row["wavefronts"]) for row in rows]
            known = np.array([self.follows_a_rule(instruction, width, row, mask) for row, mask in zip(addresses, masks)])
            found, ideal = lanebank.wavefronts(addresses[known], width, instruction, masks[known], counters=True)
            np.testing.assert_array_equal(found, np.array(measured)[known], f"{instruction} {width}")
            self.assertTrue(np.all(ideal <= found))
            counted += len(found)
        self.assertGreater(counted, 2000)

    def test_shapes_follow_the_addresses(self):
        self.assertEqual(lanebank.wavefronts(LANES * 128), (32, 1))
        found, ideal = lanebank.wavefronts([LANES * 4, LANES * 128, LANES * 132])
        self.assertEqual((found.tolist(), ideal.tolist(), found.dtype), ([1, 32, 1], [1, 1, 1], np.uint32))
        block = np.broadcast_to(LANES * 8, (2, 3, 32))
        self.assertEqual(lanebank.wavefronts(block)[0].shape, (2, 3))
        self.assertEqual(lanebank.wavefronts(np.empty((0, 32), dtype=int))[0].shape, (0,))
        self.assertEqual(lanebank.wavefronts((LANES * 128)[::-1])[0], 32)
        self.assertEqual(lanebank.wavefronts(np.asfortranarray([LANES * 4, LANES * 128], dtype=np.int64))[0].tolist(), [1, 32])

    def test_masks_are_numbers_or_booleans(self):
        self.assertEqual(lanebank.wavefronts(LANES * 128, mask=0xFF)[0], 8)
        self.assertEqual(lanebank.wavefronts(LANES * 128, mask=LANES < 8)[0], 8)
        self.assertEqual(lanebank.wavefronts([LANES * 128] * 3, mask=[0, 1, 0xFFFFFFFF])[0].tolist(), [0, 1, 32])
        self.assertEqual(lanebank.wavefronts(np.where(LANES < 8, LANES * 128, 3), mask=0xFF)[0], 8, "lanes that are off may hold anything")

    def test_names_are_those_of_machine_code_and_of_the_command(self):
        self.assertEqual(lanebank.wavefronts(LANES * 16, 16, "LDSM"), lanebank.wavefronts(LANES * 16, 16, "ldmatrix_x4"))
        self.assertEqual(lanebank.wavefronts(LANES * 4, 4, "STS", arch="sm_80"), (1, 1))
        self.assertEqual(lanebank.wavefronts(LANES * 0, 4, "ATOMS"), (32, 1))
        self.assertEqual(lanebank.wavefronts(LANES * 16, 16, "cp_async_cg_16", sources=LANES * 16), (4, 4))

    def test_what_cannot_be_counted_is_an_error_with_its_place(self):
        for arguments, keywords, said in [
                ((LANES * 4 + 1,), {}, "row 0: address 1 of lane 0 is not a multiple of 4 bytes"),
                (([LANES * 4, LANES * 4 + (LANES == 7)],), {}, "row 1: address 29 of lane 7"),
                ((LANES * 4.0,), {}, "whole numbers"),
                ((LANES - 1,), {}, "do not fit into 32 bits"),
                ((np.array([2**32] * 32),), {}, "do not fit into 32 bits"),
                ((np.arange(31),), {}, "32 lanes"),
                ((7,), {}, "32 lanes"),
                ((LANES * 4, 3), {}, "none of 1, 2, 4, 8, 16"),
                ((LANES * 4, 4, "LDX"), {}, "unknown instruction 'LDX'"),
                ((LANES * 4, 4, "LDSM"), {}, "moves 16 bytes per lane"),
                ((LANES * 4,), {"arch": "sm_100"}, "sm_100"),
                ((LANES * 4,), {"mask": [1, 2]}, "mask"),
                ((LANES * 4,), {"mask": LANES[:8] < 4}, "last axis of 32 lanes"),
                ((LANES * 16, 16, "cp_async_cg_16"), {"sources": LANES[:16]}, "sources"),
                ((LANES * 16, 16, "cp_async_cg_16"), {"arch": "sm_75"}, "row 0: this architecture has no such instruction")]:
            with self.subTest(said), self.assertRaises(lanebank.UsageError) as caught:
                lanebank.wavefronts(*arguments, **keywords)
            self.assertIn(said, str(caught.exception))


class Solve(unittest.TestCase):
    def test_answers_as_the_command(self):
        command = subprocess.run([lanebank.command(), "solve", "-", "--json", "-", "--map"], capture_output=True, text=True, check=True,
                                 input=json.dumps({"schema": "lanebank.problem/1", **PROBLEM}))
        self.assertEqual(lanebank.solve(PROBLEM, map=True), json.loads(command.stdout))
        solution = lanebank.solve(PROBLEM)
        self.assertEqual((solution["total_wavefronts"], solution["ideal"], solution["optimal"]), (64, 64, True))

    def test_names_the_place_of_an_error(self):
        wrong = {**PROBLEM, "array": {"rows": 0, "columns": 32, "element_bytes": 4}}
        with self.assertRaises(lanebank.UsageError) as caught:
            lanebank.solve(wrong)
        self.assertIn("/array/rows", str(caught.exception))
        for problem in ({}, {"array": {1, 2}}, {"array": float("nan")}):
            with self.assertRaises(lanebank.UsageError):
                lanebank.solve(problem)
        with self.assertRaises(lanebank.UsageError):
            lanebank.solve(PROBLEM, work=-1)


if __name__ == "__main__":
    unittest.main()

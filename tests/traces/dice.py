"""Dice that throw strings: keys, passwords and identifiers in the alphabets in which they are handed out."""

from __future__ import annotations

import base64
import random

LOWER = "abcdefghijklmnopqrstuvwxyz"
UPPER = LOWER.upper()
DIGITS = "0123456789"
ALNUM = LOWER + UPPER + DIGITS
HEX = "0123456789abcdef"
B64 = ALNUM + "+/"
URL64 = ALNUM + "-_"


class Dice(random.Random):
    def of(self, alphabet: str, n: int) -> str:
        return "".join(self.choice(alphabet) for _ in range(n))

    def hex(self, n: int) -> str:
        return self.of(HEX, n)

    def an(self, n: int) -> str:
        return self.of(ALNUM, n)

    def u64(self, n: int) -> str:  # begins and ends with a letter so that nothing is ambiguous
        return self.choice(LOWER) + self.of(URL64, n - 2) + self.choice(ALNUM)

    def b64(self, n: int) -> str:
        return base64.b64encode(self.randbytes(n)).decode()

    def password(self) -> str:
        words = [
            "correct",
            "Horse",
            "tr0ub4dor",
            "Winter",
            "hunter",
            "S3same",
            "pa55",
            "zebra",
            "Quokka",
            "nimbus",
        ]
        kind = self.randrange(4)
        if kind == 0:
            return (
                self.choice(words)
                + self.choice("!#%*-_.")
                + str(self.randrange(10, 9999))
                + self.choice(words)
            )
        if kind == 1:
            return self.an(self.randrange(10, 20))
        if kind == 2:
            return self.choice(words).capitalize() + str(self.randrange(1000, 99999)) + self.choice("!*#")
        return self.of(ALNUM + "!*^%-_.~", self.randrange(12, 24)) + self.choice(ALNUM)

    def urlpassword(self) -> str:
        return self.an(3) + self.of(ALNUM + "-_.~!*", self.randrange(7, 18)) + self.an(1)

    def uuid(self) -> str:
        h = self.hex(32)
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"

    def phone_digits(self, count: int) -> str:
        return self.of("23456789", count)

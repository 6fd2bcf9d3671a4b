"""Agents that misbehave, each as the text of a user's file."""

GOOD = '''
class Bot:
    """Says what it was told."""
    deterministic = True

    def __init__(self, bias=0):
        self.bias = bias

    def reset(self, seat, seed):
        self.seat, self.seed, self.seen = seat, seed, 0

    def act(self, turn):
        self.seen += 1
        return {"seen": self.seen, "seed": self.seed, "seat": self.seat.id, "bias": self.bias,
                "text": turn.text, "observation": turn.observation,
                "space": repr(turn.action_space), "reward": turn.reward}
'''
ABUSE = """
import ctypes, os, signal, subprocess, sys, time
import numpy as np


class Bot:
    def act(self, turn):
        return getattr(self, turn.text)(turn)

    def fine(self, turn):
        return 1

    def raises(self, turn):
        raise ValueError("no idea")

    def exits(self, turn):
        sys.exit("enough")

    def dies(self, turn):
        os._exit(3)

    def segfaults(self, turn):
        ctypes.string_at(0)

    def loops(self, turn):
        while True:
            pass

    def holds_the_interpreter(self, turn):
        return (10**9) ** (10**8)

    def ignores_signals(self, turn):
        for number in range(1, 32):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        while True:
            time.sleep(1)

    def asks_the_keyboard(self, turn):
        return input("your move? ")

    def prints(self, turn):
        print("x" * 200_000)
        sys.stderr.write("y" * 200_000)
        os.write(1, b"raw" * 1000)
        subprocess.run([sys.executable, "-c", "print('from below')"])
        return 1

    def deletes_stdin(self, turn):
        sys.stdin.close()
        del sys.stdin
        os.close(0)
        return 1

    def closes_everything(self, turn):
        os.closerange(0, 64)
        return 1

    def forks(self, turn):
        os.fork()
        return 1

    def answers_hugely(self, turn):
        return np.zeros(20_000_000, np.uint8)

    def answers_a_set(self, turn):
        return {1, 2}

    def answers_nothing(self, turn):
        return None

    def garbles(self, turn):
        for fd in range(3, 16):
            try:
                os.write(fd, b"\\x00\\x00\\x00\\x02{]")
            except OSError:
                pass
        return 1

    def recurses(self, turn):
        return self.recurses(turn)

    def spoils(self, turn):
        turn.observation[:] = 7
        turn.action_space.n = 99
        return 1

    def raises_half_a_character(self, turn):
        raise ValueError("no \\udc80")
"""
WORDS = """
def speaker(observation, prefix="I say: "):
    return prefix + observation


async def slow_speaker(text: str) -> str:
    import asyncio
    await asyncio.sleep(0.001)
    return text.upper()


class AsyncBot:
    async def reset(self, seat, seed):
        import asyncio
        self.task = asyncio.create_task(asyncio.sleep(3600))

    async def act(self, turn):
        import asyncio
        await asyncio.sleep(0)
        return turn.step
"""

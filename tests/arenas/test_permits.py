from __future__ import annotations

import asyncio

from gymposium.arenas.permits import Permits


def test_matches_that_need_several_children_never_wait_for_each_other() -> None:
    async def main() -> int:
        permits = Permits(3)
        done = 0

        async def match(count: int) -> None:
            nonlocal done
            async with permits.take(count):
                await asyncio.sleep(0)
            done += 1

        await asyncio.wait_for(asyncio.gather(*(match(1 + n % 3) for n in range(60))), 5)
        return done

    assert asyncio.run(main()) == 60


def test_never_more_permits_are_out_than_there_are() -> None:
    async def main() -> int:
        permits, out, most = Permits(4), 0, 0

        async def match(count: int) -> None:
            nonlocal out, most
            async with permits.take(count):
                out += count
                most = max(most, out)
                await asyncio.sleep(0.001)
                out -= count

        await asyncio.gather(*(match(1 + n % 4) for n in range(40)))
        return most

    assert asyncio.run(main()) == 4


def test_a_request_above_the_capacity_waits_for_all_of_it() -> None:
    async def main() -> None:
        permits = Permits(2)
        async with permits.take(5):
            waiting = asyncio.ensure_future(permits._acquire(1))
            await asyncio.sleep(0)
            assert not waiting.done()
        await asyncio.wait_for(waiting, 1)

    asyncio.run(main())


def test_a_cancelled_waiter_gives_its_place_to_the_next() -> None:
    async def main() -> None:
        permits = Permits(1)
        async with permits.take(1):
            first = asyncio.ensure_future(permits._acquire(1))
            second = asyncio.ensure_future(permits._acquire(1))
            await asyncio.sleep(0)
            first.cancel()
            await asyncio.sleep(0)
        await asyncio.wait_for(second, 1)

    asyncio.run(main())

"""A service that takes two seconds for every call, as a model does. Prints its port."""

import asyncio

SECONDS = 2.0


async def main() -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0, backlog=1000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readline()
    await asyncio.sleep(SECONDS)
    writer.write(b"done\n")
    await writer.drain()
    writer.close()


if __name__ == "__main__":
    asyncio.run(main())

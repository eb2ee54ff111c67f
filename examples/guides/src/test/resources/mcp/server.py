"""An MCP server of the Python SDK, for all revisions that it has. Prints its address."""

import asyncio
import base64
import os
import socket
import sys
import threading

import uvicorn
from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import Completion
from pydantic import BaseModel

PIXEL = base64.b64decode("iVBORw0KGgo=")
LANGUAGES = ["java", "javascript", "rust"]

mcp = MCPServer("python", version="1.0")


class Sum(BaseModel):
    sum: int


@mcp.tool(description="Adds two numbers")
def add(a: int, b: int) -> Sum:
    return Sum(sum=a + b)


@mcp.tool(description="Counts with progress")
async def count(to: int, ctx: Context) -> str:
    for step in range(1, to + 1):
        await ctx.report_progress(step, to, f"step {step}")
    await ctx.info("counted")
    return f"counted to {to}"


@mcp.tool(description="Fails")
def fail() -> str:
    raise ToolError("sold out")


@mcp.tool(description="A picture")
def picture() -> Image:
    return Image(data=PIXEL, format="png")


@mcp.resource("demo://greeting", mime_type="text/plain")
def greeting() -> str:
    return "Hello"


@mcp.resource("demo://pixel", mime_type="image/png")
def pixel() -> bytes:
    return PIXEL


@mcp.resource("demo://item/{id}", mime_type="text/plain")
def item(id: str) -> str:
    return f"item {id}"


@mcp.prompt(description="Reviews code")
def review(code: str, language: str = "java") -> str:
    return f"Review {code}"


@mcp.completion()
async def complete(ref, argument, context):
    return Completion(values=[each for each in LANGUAGES if each.startswith(argument.value)])


def end_with_input():
    sys.stdin.buffer.read()
    os._exit(0)


threading.Thread(target=end_with_input, daemon=True).start()
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
server = uvicorn.Server(uvicorn.Config(mcp.streamable_http_app(), log_level="error"))


async def main():
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:
        await asyncio.sleep(0.01)
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    await serving


asyncio.run(main())

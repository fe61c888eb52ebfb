# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Serves a few methods over HTTP with one of four JSON-RPC frameworks, which the first argument names.

aiohttp-rpc serves them over WebSocket too, at the path /ws.
"""

import http.server
import socket
import sys

import lifetime


def serve_with_http_server(answer):
    """Answers POSTs with what a function makes of their bodies: text, or nothing for no content."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *arguments):
            pass

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            text = answer(body.decode())
            self.send_response(200 if text else 204)
            if text:
                content = text.encode()
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            else:
                self.end_headers()

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        lifetime.announce(server.server_address[1])
        server.serve_forever()


def json_rpc():
    from jsonrpc import JSONRPCResponseManager, dispatcher
    from jsonrpc.exceptions import JSONRPCDispatchException

    @dispatcher.add_method
    def echo(value):
        return value

    @dispatcher.add_method
    def fail(code):
        raise JSONRPCDispatchException(code=code, message="as asked")

    def answer(text):
        response = JSONRPCResponseManager.handle(text, dispatcher)
        return response.json if response else ""

    serve_with_http_server(answer)


def jsonrpcserver():
    from jsonrpcserver import Error, Success, dispatch, method

    @method
    def echo(value):
        return Success(value)

    @method
    def fail(code):
        return Error(code, "as asked")

    serve_with_http_server(dispatch)


def listening_socket():
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    lifetime.announce(listener.getsockname()[1])
    return listener


def aiohttp_rpc():
    import aiohttp_rpc
    from aiohttp import web

    def echo(value):
        return value

    def fail(code):
        raise aiohttp_rpc.errors.JSONRPCError("as asked", code=code)

    application = web.Application()
    for kind, add, path in (
        (aiohttp_rpc.JSONRPCServer, web.post, "/"),
        (aiohttp_rpc.WSJSONRPCServer, web.get, "/ws"),
    ):
        server = kind(middlewares=aiohttp_rpc.middlewares.DEFAULT_MIDDLEWARES)
        server.add_methods([echo, fail])
        application.router.add_routes([add(path, server.handle_http_request)])
    web.run_app(application, sock=listening_socket(), print=None)


def fastapi_jsonrpc():
    import fastapi_jsonrpc
    import uvicorn
    from fastapi import Body

    class Failure(fastapi_jsonrpc.BaseError):
        CODE = 77
        MESSAGE = "as asked"

    application = fastapi_jsonrpc.API()
    entrypoint = fastapi_jsonrpc.Entrypoint("/")

    @entrypoint.method()
    def echo(value: object = Body(...)) -> object:
        return value

    @entrypoint.method(errors=[Failure])
    def fail(code: int = Body(...)) -> int:
        raise Failure()

    application.bind_entrypoint(entrypoint)
    config = uvicorn.Config(application, log_level="warning")
    uvicorn.Server(config).run(sockets=[listening_socket()])


lifetime.end_with_parent()
{
    "json-rpc": json_rpc,
    "jsonrpcserver": jsonrpcserver,
    "aiohttp-rpc": aiohttp_rpc,
    "fastapi-jsonrpc": fastapi_jsonrpc,
}[sys.argv[1]]()

#!/usr/bin/env python3
# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Draws the pictures of the DocC articles: NAME.svg and NAME~dark.svg in the resources of the article's catalogue.

  Scripts/draw-pictures.py            draws all of them again
  Scripts/draw-pictures.py --check    fails if a file in the repository is not what this script draws
"""

import pathlib

from picture import DARK, LIGHT, Picture, update

CATALOGUES = "Sources/JSONRPC/{0}/{0}.docc/Resources"


def modules(colours):
    p = Picture(900, 470, "Modules and what they depend on", colours)
    p.text(20, 26, "An arrow means “depends on”. Most programs import a blue module. Small modules are left out.", "faint", size=12)
    # The columns: WebSocket, session, transports of HTTP, requests of HTTP.
    p.box(20, 50, 200, 40, "JSONRPCServiceLifecycle")
    p.box(250, 50, 190, 72, "JSONRPCMacros", "JSONRPCTesting", "JSONRPCObservability")
    p.box(690, 50, 190, 56, "JSONAPIMacros", "JSONAPITesting")
    p.box(20, 150, 200, 40, "JSONRPCWebSocket", colour="blue")
    p.box(470, 150, 190, 40, "JSONRPCHTTP", colour="blue")
    p.box(690, 150, 190, 40, "JSONAPI", colour="blue")
    p.box(20, 250, 200, 40, "WebSocket")
    p.box(250, 250, 190, 40, "JSONRPCSession")
    p.box(470, 250, 190, 56, "AsyncHTTPClientTransport", "URLSessionTransport")
    p.box(690, 250, 190, 40, "HTTPRequests")
    p.box(20, 340, 110, 72, "OpenSSL", "libwebsockets", "zlib", dashed=True)
    p.box(150, 358, 140, 36, "MessageTransport")
    p.box(315, 340, 125, 36, "JSONRPCCore")
    p.box(315, 415, 565, 36, "WireJSON: the JSON codec")
    p.arrow((120, 90), (120, 149))
    p.arrow((345, 122), (345, 249))
    p.arrow((785, 106), (785, 149))
    p.arrow((120, 190), (120, 249))
    p.arrow((200, 190), (270, 249))
    p.arrow((500, 190), (425, 249))
    p.arrow((565, 190), (565, 249))
    p.arrow((785, 190), (785, 249))
    p.arrow((660, 270), (689, 270))
    p.arrow((75, 290), (75, 339))
    p.arrow((190, 290), (205, 357))
    p.arrow((270, 290), (240, 357))
    p.arrow((377, 290), (377, 339))
    p.arrow((377, 376), (377, 414))
    p.arrow((785, 290), (785, 414))
    return p


def call(colours):
    p = Picture(900, 330, "The life of a call, and the delivery that its error has at each point", colours)
    steps = ["params encoded", "call waits for", "message waits", "bytes written", "response read", "result decoded"]
    more = ["in the caller’s task", "connection or room", "in the outbox", "the peer may act", "and matched by id", "in the caller’s task"]
    for index, (step, second) in enumerate(zip(steps, more)):
        x = 15 + index * 147
        p.box(x, 60, 130, 56, step, second, size=11.5)
        if index:
            p.arrow((x - 17, 88), (x - 1, 88))
    p.text(15, 34, "A call", bold=True, size=14)
    p.text(885, 34, "the result is returned", "faint", anchor="end", size=12)
    bands = [(15, 439, "green", "notSent", "no byte left this program: send it again"),
             (456, 586, "amber", "outcomeUnknown", "only if idempotent"),
             (603, 880, "blue", "answered", "the peer has answered: decide by the answer")]
    for start, end, colour, name, advice in bands:
        p.line((start, 142), (end, 142), colour=colour, width=4)
        p.text((start + end) / 2, 165, "." + name, colour, "middle", mono=True, size=13, bold=True)
        p.text((start + end) / 2, 183, advice, "faint", "middle", size=11)
    p.line((447, 52), (447, 300), colour="amber", dashed=True)
    p.line((594, 52), (594, 300), colour="blue", dashed=True)
    columns = [(80, ["encodingFailed"]), (227, ["notConnected", "connectFailed", "closed", "timedOut"]),
               (374, ["connectionLost", "closed", "timedOut"]), (513, ["connectionLost", "closed", "timedOut"]),
               (668, ["ErrorObject", "protocolViolation", "missingResponse"]), (815, ["decodingFailed"])]
    p.text(15, 212, "The error of a call that fails here is most often:", "faint", size=12)
    for x, codes in columns:
        for index, code in enumerate(codes):
            p.text(x, 236 + index * 19, code, anchor="middle", mono=True, size=11)
    p.text(15, 322, "A CancellationError can end a call at every point, and has no delivery.", "faint", size=12)
    return p


def reconnect(colours):
    p = Picture(900, 400, "A lost connection: attempts, onConnect, renewal of subscriptions, gap, resume", colours)
    lanes = [(70, "connection"), (160, "client"), (250, "calls"), (340, "subscription")]
    for y, name in lanes:
        p.text(15, y + 5, name, "faint", size=13, bold=True)
        p.line((120, y), (885, y), colour="edge")
    p.box(110, 52, 120, 36, "session 1", colour="blue")
    p.text(245, 77, "✕", "red", "middle", size=20)
    p.text(245, 44, "lost", "red", "middle", size=12)
    for x, width, label in [(262, 50, "≤ 0.5 s"), (336, 80, "≤ 1 s")]:
        p.line((x, 96), (x, 104), colour="faint")
        p.line((x, 100), (x + width, 100), colour="faint")
        p.line((x + width, 96), (x + width, 104), colour="faint")
        p.text(x + width / 2, 118, label, "faint", "middle", size=11)
    p.box(316, 58, 16, 24, colour="red")
    p.text(324, 44, "refused", "red", "middle", size=11)
    p.box(420, 52, 465, 36, "session 2", colour="blue")
    p.box(420, 142, 120, 36, "onConnect", colour="purple", mono=True)
    p.box(560, 142, 150, 36, "subscribe again", colour="purple")
    p.box(720, 142, 165, 36, "resume closure", colour="purple")
    p.text(170, 152, "state: connected", "faint", "middle", size=11)
    p.text(335, 152, "state: reconnecting(attempt:)", "faint", "middle", size=11)
    p.box(130, 232, 100, 36, "in flight", colour="amber")
    p.text(180, 290, "sent again if idempotent or not sent", "faint", "middle", size=11)
    p.box(280, 232, 262, 36, "begun meanwhile: wait, within their timeout", size=11.5, dashed=True)
    p.box(560, 232, 325, 36, "sent, in order", colour="green")
    p.line((550, 130), (550, 280), colour="faint", dashed=True)
    p.text(545, 290, "calls go on when onConnect has returned", "faint", "end", size=11)
    for x, label, colour in [(125, "1", None), (160, "2", None), (195, "3", None)]:
        p.box(x, 326, 28, 28, label, colour=colour)
    p.box(580, 326, 128, 28, "gap: reconnected", colour="red", size=12)
    for x, label in [(722, "4"), (756, "5"), (790, "6")]:
        p.box(x, 326, 28, 28, label, colour="purple")
    for x, label in [(824, "7"), (858, "8")]:
        p.box(x, 326, 28, 28, label)
    p.text(770, 374, "fetched by resume", "purple", "middle", size=11)
    p.text(838, 390, "then new values", "faint", "middle", size=11)
    p.arrow((635, 178), (635, 325), colour="purple")
    p.arrow((800, 178), (770, 325), colour="purple")
    return p


def sessions(colours):
    p = Picture(900, 300, "A client and its sessions over time", colours)
    p.box(110, 30, 730, 52, "JSONRPCClient: handlers, streams, subscriptions, events, waiting calls", colour="blue")
    p.text(15, 61, "one client", "faint", bold=True)
    p.text(15, 139, "its sessions", "faint", bold=True)
    p.text(15, 189, "state", "faint", bold=True)
    spans = [(190, 330, "DuplexSession 1"), (430, 560, "DuplexSession 2"), (640, 790, "DuplexSession 3")]
    for start, end, name in spans:
        p.box(start, 116, end - start, 40, name, colour="purple")
    for x in [345, 575]:
        p.text(x, 142, "✕", "red", "middle", size=16)
    states = [(110, 190, "connecting"), (190, 330, "connected"), (330, 430, "reconnecting"), (430, 560, "connected"),
              (560, 640, "reconnecting"), (640, 740, "connected"), (740, 790, "closing"), (790, 840, "closed")]
    for start, end, name in states:
        p.line((start, 178), (start, 198), colour="edge")
        small = 11
        p.text((start + end) / 2, 192, name, "ink" if name == "connected" else "faint", "middle", size=small)
    p.line((840, 178), (840, 198), colour="edge")
    p.arrow((110, 226), (860, 226))
    p.text(866, 230, "time", "faint", size=11)
    p.text(15, 266, "Calls in flight and their ids belong to a session: ids begin at 1 in each, by default.", "faint", size=12)
    p.text(15, 286, "With ReconnectPolicy.never, the client ends with its first session.", "faint", size=12)
    return p


def interceptors(colours):
    p = Picture(900, 330, "The order of interceptors, for calls of this side and of the peer", colours)
    p.text(15, 30, "configuration.calls.interceptors = [tracing, metrics]", mono=True, size=12)
    p.text(15, 190, "configuration.inbound.interceptors = [tracing, metrics]", mono=True, size=12)
    for top, names in [(46, ["caller’s task", "wait for a\x00connection", "tracing", "metrics", "session"]),
                       (206, ["session", "tracing", "metrics", "handler"])]:
        width, gap = 124, 46
        for index, name in enumerate(names):
            x = 15 + index * (width + gap)
            own = name in ("tracing", "metrics")
            p.box(x, top, width, 64, *name.split("\x00"), colour="purple" if own else None)
            if index:
                p.arrow((x - gap, top + 20), (x - 1, top + 20), colour="blue")
                p.arrow((x, top + 46), (x - gap + 1, top + 46), colour="green")
    p.arrow((819, 66), (885, 66), colour="blue")
    p.arrow((885, 92), (820, 92), colour="green")
    p.text(852, 58, "request", "blue", "middle", size=11)
    p.text(852, 110, "response", "green", "middle", size=11)
    p.text(15, 134, "A call that is sent again after a loss waits, and passes the interceptors again. The first of the array is outermost.",
           "faint", size=12)
    p.text(15, 296, "An interceptor calls next once, several times (a retry), or never (an answer from a cache).", "faint", size=12)
    p.text(15, 316, "Members of a batch pass the chain one by one; the array is sent when all have left it.", "faint", size=12)
    return p


def overflow(colours):
    p = Picture(900, 360, "Overflow policies: seven notifications arrive while the consumer takes none", colours)
    p.text(15, 28, "Capacity 4. Notifications 1 to 7 arrive while the consumer takes none.", "faint", size=12)
    p.text(330, 56, "the consumer then gets", "faint", size=12)
    rows = [
        (".dropOldest(capacity: 4)", ["gap (3)", "4", "5", "6", "7"], "for states: the newest values count"),
        (".dropNewest(capacity: 4)", ["1", "2", "3", "4", "gap (3)"], "for logs: the beginning counts"),
        (".fail(capacity: 4)", ["1", "2", "3", "4", "error"], "if no value may be missing"),
        (".suspend(capacity: 4, limit:)", ["1", "2", "3", "4", "5", "6", "7"], "reading stops: backpressure"),
    ]
    for index, (policy, items, use) in enumerate(rows):
        y = 68 + index * 66
        p.text(15, y + 22, policy, mono=True, size=12.5)
        p.text(15, y + 41, use, "faint", size=12)
        x = 330
        for item in items:
            width = 64 if len(item) > 1 else 36
            colour = "red" if len(item) > 1 else "amber" if index == 3 and item in "567" else "green"
            p.box(x, y, width, 36, item, colour=colour)
            x += width + 8
        if index == 3:
            p.text(x + 6, y + 15, "5, 6, 7: in the buffer if they were already", "faint", size=11)
            p.text(x + 6, y + 31, "read, otherwise with the peer", "faint", size=11)
    p.text(15, 344, "At half of the capacity, a suspended stream reads again. After its limit, it drops the oldest.", "faint", size=12)
    return p


PICTURES = [
    ("modules", "JSONRPCWebSocket", modules), ("life-of-a-call", "JSONRPCWebSocket", call),
    ("reconnecting", "JSONRPCWebSocket", reconnect), ("sessions", "JSONRPCSession", sessions),
    ("interceptors", "JSONRPCSession", interceptors), ("overflow", "JSONRPCSession", overflow),
]


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    texts = {
        root / CATALOGUES.format(module) / f"{name}{suffix}.svg": draw(colours).svg()
        for name, module, draw in PICTURES for suffix, colours in [("", LIGHT), ("~dark", DARK)]
    }
    update(texts, "draw-pictures")


main()

// swift-jsonrpc · SPDX-License-Identifier: MIT

@_exported public import JSONRPCCore
@_exported public import MessageTransport
@_exported public import WireJSON

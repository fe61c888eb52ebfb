// swift-jsonrpc · SPDX-License-Identifier: MIT

@_exported public import MessageTransport

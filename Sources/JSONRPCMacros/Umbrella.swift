// swift-jsonrpc · SPDX-License-Identifier: MIT

// Expansions name types of these modules, in the file of the protocol.
@_exported public import JSONRPCCore
@_exported public import JSONRPCSession
@_exported public import WireJSON

// swift-jsonrpc · SPDX-License-Identifier: MIT

// What the macros write names these modules' types, in the file where the protocol is.
@_exported public import JSONRPCCore
@_exported public import JSONRPCSession
@_exported public import WireJSON

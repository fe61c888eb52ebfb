// swift-jsonrpc · SPDX-License-Identifier: MIT

// Generated code in the file of the protocol uses types of these modules.
@_exported public import JSONRPCCore
@_exported public import JSONRPCSession
@_exported public import WireJSON

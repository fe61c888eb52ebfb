// swift-jsonrpc · SPDX-License-Identifier: MIT

// Generated code uses types from this module.
@_exported public import WireJSON

// swift-jsonrpc · SPDX-License-Identifier: MIT

// Generated code uses types of this module.
@_exported public import WireJSON

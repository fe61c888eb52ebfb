// swift-jsonrpc · SPDX-License-Identifier: MIT

// Generated code in the file of the resource uses types of this module.
@_exported public import JSONAPI

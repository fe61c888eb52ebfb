// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession

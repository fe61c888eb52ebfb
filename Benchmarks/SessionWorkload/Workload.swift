// swift-jsonrpc · SPDX-License-Identifier: MIT

import AllocationCounter
import JSONRPCWebSocket
public func check() -> Int32 { allocation_counter_check() }

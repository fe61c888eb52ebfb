// swift-jsonrpc · SPDX-License-Identifier: MIT

import Testing

// swift-jsonrpc · SPDX-License-Identifier: MIT

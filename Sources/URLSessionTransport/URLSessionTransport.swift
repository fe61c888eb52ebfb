// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationNetworking)
import FoundationNetworking
import HTTPRequests
#endif

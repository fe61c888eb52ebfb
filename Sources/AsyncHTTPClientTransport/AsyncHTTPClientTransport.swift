// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
import AsyncHTTPClient
import HTTPRequests
#endif

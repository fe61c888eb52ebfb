// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests

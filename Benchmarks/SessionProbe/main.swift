// swift-jsonrpc · SPDX-License-Identifier: MIT

import SessionWorkload
print(check())

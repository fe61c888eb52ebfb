// swift-jsonrpc · SPDX-License-Identifier: MIT

// Nothing to call: the target has its effect by being linked. See MutexAnnotations.c.

// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The version of this package.
package let packageVersion = "0.1.0"

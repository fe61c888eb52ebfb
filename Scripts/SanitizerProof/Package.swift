// swift-tools-version: 6.2
// swift-jsonrpc · SPDX-License-Identifier: MIT

import PackageDescription

// Tests with a planted data race and a planted overflow: they must fail under the sanitizer that is meant to see them.
let package = Package(
    name: "SanitizerProof",
    targets: [.testTarget(name: "PlantedFaults")]
)

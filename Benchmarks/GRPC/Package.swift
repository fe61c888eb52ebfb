// swift-tools-version: 6.1
// swift-jsonrpc · SPDX-License-Identifier: MIT

import PackageDescription

// A package of its own, so that the other benchmarks do not fetch and resolve what only this comparison needs.
let package = Package(
    name: "GRPCBenchmark",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-jsonrpc", path: "../.."),
        .package(url: "https://github.com/grpc/grpc-swift-2.git", exact: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport.git", exact: "2.9.2"),
    ],
    targets: [
        // Servers and clients of both, one line of JSON for each run of a client: Scripts/bench-grpc.sh
        .executableTarget(
            name: "grpc-probe",
            dependencies: [
                .product(name: "JSONRPCWebSocket", package: "swift-jsonrpc"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
            ],
            path: "Probe",
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]
        )
    ]
)

// swift-tools-version: 6.1
// swift-jsonrpc · SPDX-License-Identifier: MIT

import PackageDescription

// A package of its own, so that who uses the library never fetches what only its measurements need.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let webSocket: Target.Dependency = .product(name: "JSONRPCWebSocket", package: "swift-jsonrpc")

/// The name under which SwiftPM knows the package above: that of its folder. The codec's program is a part of it in all
/// but the manifest, and measures the envelope scan, which other packages do not see.
let folder = Context.packageDirectory.split(separator: "/").dropLast().last.map { $0.lowercased() } ?? "swift-jsonrpc"
let insider = SwiftSetting.unsafeFlags([
    "-package-name", String(folder.map { $0.isLetter || $0.isNumber ? $0 : "_" }),
])

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-jsonrpc", path: ".."),
        // Without its traits: the allocation metrics of that package read 0 on Linux with glibc's malloc, so ours
        // come from `AllocationCounter`.
        .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
        // The client below one of the transports, used directly for comparison.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.26.0"),
    ],
    targets: [
        // Counts calls of malloc by standing in front of it.
        .target(name: "AllocationCounter", path: "AllocationCounter"),
        // The rows of programs that print their own tables, for Benchmarks/Results.
        .target(name: "ResultRows", path: "ResultRows", swiftSettings: settings),
        // What both programs below do: dial, call, count.
        .target(
            name: "SessionWorkload",
            dependencies: [webSocket, "AllocationCounter", .product(name: "WireJSONMacros", package: "swift-jsonrpc")],
            path: "SessionWorkload",
            swiftSettings: settings
        ),
        // One workload, one line of JSON, as the other clients in `Peers` print it.
        .executableTarget(
            name: "session-probe",
            dependencies: ["SessionWorkload", webSocket],
            path: "SessionProbe",
            swiftSettings: settings
        ),
        // Notifications: a server, consumers, and the memory of idle things. Scripts/bench-streaming.sh
        .executableTarget(
            name: "stream-probe", dependencies: [webSocket, "AllocationCounter"], path: "StreamProbe",
            swiftSettings: settings
        ),
        // `swift package benchmark --target Session`
        .executableTarget(
            name: "Session",
            dependencies: ["SessionWorkload", webSocket, .product(name: "Benchmark", package: "benchmark")],
            path: "Session",
            swiftSettings: settings,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        // One kind of HTTP exchange, many times, and one line of JSON: Scripts/bench-http.sh
        .executableTarget(
            name: "http-probe",
            dependencies: [
                "AllocationCounter",
                .product(name: "AsyncHTTPClientTransport", package: "swift-jsonrpc"),
                .product(name: "HTTPRequests", package: "swift-jsonrpc"),
                .product(name: "JSONRPCHTTP", package: "swift-jsonrpc"),
                .product(name: "URLSessionTransport", package: "swift-jsonrpc"),
                .product(name: "WireJSON", package: "swift-jsonrpc"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
            ],
            path: "HTTP/Probe",
            swiftSettings: settings
        ),
        // The codec beside Foundation's, as a table: `swift run -c release codec-table`
        .executableTarget(
            name: "codec-table",
            dependencies: [
                "AllocationCounter", "ResultRows", "Simdjson", .product(name: "JSONRPCCore", package: "swift-jsonrpc"),
                .product(name: "WireJSON", package: "swift-jsonrpc"),
                .product(name: "WireJSONMacros", package: "swift-jsonrpc"),
            ],
            path: "Codec",
            packageAccess: false,  // To this package, that is.
            swiftSettings: settings + [insider]
        ),
        // Compound documents of JSON:API beside two other ways to read them: Scripts/bench-jsonapi.sh
        .executableTarget(
            name: "jsonapi-table",
            dependencies: [
                "AllocationCounter", "ResultRows", .product(name: "JSONAPI", package: "swift-jsonrpc"),
                .product(name: "WireJSON", package: "swift-jsonrpc"),
            ],
            path: "JSONAPI",
            swiftSettings: settings
        ),
        // simdjson as Debian packages it, `libsimdjson-dev`. Its On-Demand API is compiled into the program, so these
        // flags matter: -O3 and above all NDEBUG, without which its assertions cost about a third.
        .target(
            name: "Simdjson", path: "Simdjson",
            cxxSettings: [.unsafeFlags(["-O3", "-DNDEBUG", "-march=native"])],
            linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++")]
        ),
    ],
    cxxLanguageStandard: .cxx17
)

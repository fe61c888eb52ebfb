// swift-tools-version: 6.2
// swift-jsonrpc · SPDX-License-Identifier: MIT

import CompilerPluginSupport
import PackageDescription

// Applied to every Swift target: see the loop at the end.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
]

let collections: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
/// What `AsyncHTTPClientTransport` needs. Without the trait, none of it is built.
let asyncHTTPClient: [Target.Dependency] = [
    ("AsyncHTTPClient", "async-http-client"), ("NIOCore", "swift-nio"), ("NIOHTTP1", "swift-nio"),
    ("NIOHTTP2", "swift-nio-http2"), ("NIOHTTPCompression", "swift-nio-extras"), ("NIOPosix", "swift-nio"),
    ("NIOSSL", "swift-nio-ssl"), ("Tracing", "swift-distributed-tracing"),
].map { .product(name: $0, package: $1, condition: .when(traits: ["AsyncHTTPClient"])) }
/// What `JSONRPCObservability` needs. Each half is built with its trait.
let observability: [Target.Dependency] = [
    .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
    .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
]
/// Only the macros' plugin and its tests depend on swift-syntax: it is built where `JSONRPCMacros` is used.
func swiftSyntax(_ products: String...) -> [Target.Dependency] {
    products.map { .product(name: $0, package: "swift-syntax") }
}

// For Linux with glibc only: Sources/CLibwebsockets/shim.h refuses to compile elsewhere.
let package = Package(
    name: "swift-jsonrpc",
    products: [
        .library(name: "JSONRPCWebSocket", targets: ["JSONRPCWebSocket"]),
        .library(name: "JSONRPCSession", targets: ["JSONRPCSession"]),
        .library(name: "JSONRPCCore", targets: ["JSONRPCCore"]),
        .library(name: "JSONRPCMacros", targets: ["JSONRPCMacros"]),
        .library(name: "JSONRPCTesting", targets: ["JSONRPCTesting"]),
        .library(name: "JSONRPCHTTP", targets: ["JSONRPCHTTP"]),
        .library(name: "JSONRPCObservability", targets: ["JSONRPCObservability"]),
        .library(name: "JSONRPCServiceLifecycle", targets: ["JSONRPCServiceLifecycle"]),
        .library(name: "HTTPRequests", targets: ["HTTPRequests"]),
        .library(name: "HTTPRequestsTesting", targets: ["HTTPRequestsTesting"]),
        .library(name: "AsyncHTTPClientTransport", targets: ["AsyncHTTPClientTransport"]),
        .library(name: "URLSessionTransport", targets: ["URLSessionTransport"]),
        .library(name: "JSONAPI", targets: ["JSONAPI"]),
        .library(name: "JSONAPIMacros", targets: ["JSONAPIMacros"]),
        .library(name: "JSONAPITesting", targets: ["JSONAPITesting"]),
        .library(name: "WireJSON", targets: ["WireJSON"]),
        .library(name: "WireJSONMacros", targets: ["WireJSONMacros"]),
        .library(name: "WebSocket", targets: ["WebSocket"]),
        .executable(name: "jsonrpc", targets: ["jsonrpc"]),
    ],
    traits: [
        .default(enabledTraits: ["AsyncHTTPClient", "Metrics", "ServiceLifecycle", "Tracing"]),
        .trait(
            name: "AsyncHTTPClient",
            description: "AsyncHTTPClientTransport, over async-http-client and SwiftNIO. On by default."
        ),
        .trait(
            name: "Metrics",
            description: "SessionMetrics in JSONRPCObservability, over swift-metrics. On by default."
        ),
        .trait(
            name: "ServiceLifecycle",
            description: "JSONRPCServiceLifecycle, over swift-service-lifecycle. On by default."
        ),
        .trait(
            name: "Tracing",
            description: "CallTracing in JSONRPCObservability, over swift-distributed-tracing. On by default."
        ),
        .trait(
            name: "DateFormatterSupport",
            description: "Dates as a DateFormatter writes them in WireJSON's coders, which brings in all of Foundation."
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.26.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.36.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
    ],
    targets: [
        // MARK: Base
        .systemLibrary(
            name: "CLibwebsockets",
            pkgConfig: "libwebsockets",
            providers: [.apt(["libwebsockets-dev"])]
        ),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // Only the tool uses it. With `pkgConfig`, SwiftPM would warn programs without libedit that use other modules.
        .systemLibrary(name: "CEditLine"),
        .target(name: "WireJSON", swiftSettings: [.strictMemorySafety()]),
        .testTarget(name: "WireJSONTests", dependencies: ["TestTurns", "WireJSON"], exclude: ["JSONTestSuite"]),

        .target(name: "OpenRPC", dependencies: ["WireJSON"]),

        .target(name: "JSONAPI", dependencies: ["HTTPRequests", "WireJSON", httpTypes]),
        .testTarget(
            name: "JSONAPITests",
            dependencies: [
                "HTTPRequests", "HTTPRequestsTesting", "JSONAPI", "JSONRPCCore", "TestTurns", "WireJSON", httpTypes,
            ]
        ),

        .target(name: "HTTPRequests", dependencies: ["WireJSON", httpTypes, logging]),
        .testTarget(
            name: "HTTPRequestsTests",
            dependencies: [
                "HTTPRequests", "HTTPRequestsTesting", "TestSupport", "TestTurns", "WireJSON", httpTypes, logging,
            ]
        ),

        // MARK: Middle
        .target(
            name: "WebSocket",
            dependencies: ["CLibwebsockets", logging],
            swiftSettings: [.strictMemorySafety()]
        ),
        .testTarget(name: "WebSocketTests", dependencies: ["CLibwebsockets", "WebSocket", "TestSupport", "TestTurns"]),
        .target(name: "JSONRPCCore", dependencies: ["WireJSON"]),
        .testTarget(name: "JSONRPCCoreTests", dependencies: ["JSONRPCCore", "TestSupport", "TestTurns", "WireJSON"]),
        .target(name: "JSONRPCSession", dependencies: ["JSONRPCCore", "WireJSON", collections, logging]),
        .testTarget(
            name: "JSONRPCSessionTests",
            dependencies: [
                "JSONRPCSession", "JSONRPCCore", "JSONRPCTesting", "TestSupport", "TestTurns", "WireJSON", logging,
            ]
        ),

        // MARK: Join
        .target(name: "JSONRPCWebSocket", dependencies: ["JSONRPCSession", "JSONRPCCore", "WebSocket", "WireJSON"]),
        .testTarget(
            name: "JSONRPCWebSocketTests",
            dependencies: ["JSONRPCWebSocket", "JSONRPCSession", "JSONRPCTesting", "TestSupport", "TestTurns"]
        ),

        .target(
            name: "AsyncHTTPClientTransport",
            dependencies: [
                "HTTPRequests", httpTypes,
            ] + asyncHTTPClient
        ),
        .target(name: "URLSessionTransport", dependencies: ["HTTPRequests", httpTypes]),
        .testTarget(
            name: "HTTPTransportTests",
            dependencies: [
                "AsyncHTTPClientTransport", "HTTPRequests", "TestSupport", "TestTurns", "URLSessionTransport",
                httpTypes, .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ]
        ),
        .target(
            name: "JSONRPCHTTP",
            dependencies: [
                "AsyncHTTPClientTransport", "CZlib", "HTTPRequests", "JSONRPCSession", "JSONRPCCore", "WireJSON",
                httpTypes,
                logging,
            ]
        ),
        .testTarget(
            name: "JSONRPCHTTPTests",
            dependencies: [
                "AsyncHTTPClientTransport", "HTTPRequestsTesting", "JSONRPCHTTP", "JSONRPCTesting", "TestSupport",
                "TestTurns", "URLSessionTransport", httpTypes,
            ]
        ),

        // MARK: Top
        .target(name: "HTTPRequestsTesting", dependencies: ["HTTPRequests", "WireJSON", httpTypes]),
        .target(
            name: "JSONAPITesting",
            dependencies: ["HTTPRequests", "HTTPRequestsTesting", "JSONAPI", "WireJSON", httpTypes]
        ),
        .testTarget(
            name: "JSONAPITestingTests",
            dependencies: [
                "HTTPRequests", "HTTPRequestsTesting", "JSONAPI", "JSONAPITesting", "NewsroomExample", "TestSupport",
                "TestTurns", "WireJSON", httpTypes,
            ]
        ),
        .testTarget(
            name: "JSONAPIServerTests",
            dependencies: [
                "HTTPRequests", "JSONAPI", "NewsroomExample", "TestSupport", "TestTurns", "URLSessionTransport",
                "WireJSON", httpTypes,
            ]
        ),
        .target(name: "JSONRPCTesting", dependencies: ["JSONRPCSession", "JSONRPCCore", "WireJSON", collections]),
        .testTarget(
            name: "JSONRPCTestingTests",
            dependencies: [
                "JSONRPCTesting", "JSONRPCSession", "JSONRPCWebSocket", "TestSupport", "TestTurns", "WireJSON",
            ]
        ),
        .target(name: "JSONRPCObservability", dependencies: ["JSONRPCSession"] + observability),
        .testTarget(
            name: "JSONRPCObservabilityTests",
            dependencies: [
                "JSONRPCObservability", "JSONRPCSession", "JSONRPCTesting", "TestTurns", "WireJSON",
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ]
        ),
        .target(
            name: "JSONRPCServiceLifecycle",
            dependencies: [
                "JSONRPCWebSocket",
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
            ]
        ),
        .testTarget(
            name: "JSONRPCServiceLifecycleTests",
            dependencies: [
                "JSONRPCServiceLifecycle", "JSONRPCTesting", "JSONRPCWebSocket", "TestTurns", logging,
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        .target(
            name: "JSONRPCMacrosExpansion",
            dependencies: swiftSyntax(
                "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros")
        ),
        .macro(
            name: "JSONRPCMacrosPlugin",
            dependencies: ["JSONRPCMacrosExpansion"]
                + swiftSyntax("SwiftCompilerPlugin", "SwiftSyntax", "SwiftSyntaxMacros")
        ),
        .target(
            name: "JSONRPCMacros", dependencies: ["JSONRPCMacrosPlugin", "JSONRPCSession", "JSONRPCCore", "WireJSON"]),
        // Depends on no macro target: all tests of the package would then be built for the host, a second time.
        .testTarget(
            name: "JSONRPCMacrosTests",
            dependencies: ["JSONRPCMacros", "JSONRPCMacrosExpansion", "JSONRPCTesting", "TestSupport", "TestTurns"]
                + swiftSyntax(
                    "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacros"),
            exclude: ["Diagnostics/Golden", "Expansions/Golden"]
        ),
        .target(
            name: "JSONAPIMacrosExpansion",
            dependencies: swiftSyntax(
                "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros")
        ),
        .macro(
            name: "JSONAPIMacrosPlugin",
            dependencies: ["JSONAPIMacrosExpansion"]
                + swiftSyntax("SwiftCompilerPlugin", "SwiftSyntax", "SwiftSyntaxMacros")
        ),
        .target(name: "JSONAPIMacros", dependencies: ["JSONAPI", "JSONAPIMacrosPlugin"]),
        .testTarget(
            name: "JSONAPIMacrosTests",
            dependencies: [
                "JSONAPI", "JSONAPIMacros", "JSONAPIMacrosExpansion", "TestSupport", "TestTurns", "WireJSON",
            ]
                + swiftSyntax(
                    "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacroExpansion",
                    "SwiftSyntaxMacros"),
            exclude: ["Diagnostics/Golden", "Expansions/Golden"]
        ),
        .target(
            name: "WireJSONMacrosExpansion",
            dependencies: swiftSyntax(
                "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros")
        ),
        .macro(
            name: "WireJSONMacrosPlugin",
            dependencies: ["WireJSONMacrosExpansion"]
                + swiftSyntax("SwiftCompilerPlugin", "SwiftSyntax", "SwiftSyntaxMacros")
        ),
        .target(name: "WireJSONMacros", dependencies: ["WireJSON", "WireJSONMacrosPlugin"]),
        .testTarget(
            name: "WireJSONMacrosTests",
            dependencies: ["TestSupport", "TestTurns", "WireJSON", "WireJSONMacros", "WireJSONMacrosExpansion"]
                + swiftSyntax(
                    "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacroExpansion",
                    "SwiftSyntaxMacros"),
            exclude: ["Diagnostics/Golden", "Expansions/Golden"]
        ),
        // What is generated is a part of it, to show that it compiles.
        .testTarget(
            name: "OpenRPCTests",
            dependencies: ["OpenRPC", "JSONRPCMacros", "TestSupport", "TestTurns", "WireJSON", "WireJSONMacros"]
        ),
        .executableTarget(
            name: "jsonrpc",
            dependencies: [
                "AsyncHTTPClientTransport", "CEditLine", "JSONRPCHTTP", "JSONRPCTesting", "JSONRPCWebSocket", "OpenRPC",
                "URLSessionTransport", "WebSocket", collections, httpTypes,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ]
        ),
        .testTarget(
            name: "jsonrpcTests",
            dependencies: [
                "jsonrpc", "JSONRPCWebSocket", "TestSupport", "TestTurns",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ]
        ),

        // MARK: Tests that need other programs
        .target(
            name: "TestSupport",
            dependencies: ["HeapSupport", "JSONRPCSession", "JSONRPCCore", "SanitizerSupport", "WireJSON"],
            path: "Tests/TestSupport"
        ),
        // Lets few tests of a process run at a time. Every suite has its trait.
        .target(name: "TestTurns", path: "Tests/TestTurns"),
        // What `malloc` knows of itself, which Swift's `Glibc` does not show.
        .target(name: "HeapSupport", path: "Tests/HeapSupport"),
        // Has an effect under the thread sanitizer only.
        .target(name: "SanitizerSupport", path: "Tests/SanitizerSupport"),
        .testTarget(
            name: "PeerTests",
            dependencies: [
                "Aria2Example", "BlockStreamExample", "JSONRPCHTTP", "JSONRPCMacros", "JSONRPCWebSocket",
                "LanguageServerExample", "ModelContextExample", "WebSocket", "TestSupport", "TestTurns", httpTypes,
            ]),
        // What is held at the limits of the session and of the WebSocket: see Development/MemoryAtLimits.md.
        .testTarget(
            name: "MemoryTests",
            dependencies: [
                "JSONRPCSession", "JSONRPCWebSocket", "TestSupport", "TestTurns", "WebSocket", "WireJSON",
            ]),
        // The client that `make test-autobahn` runs against the Autobahn testsuite.
        .executableTarget(name: "autobahn-client", dependencies: ["WebSocket"], path: "Tests/Autobahn"),
        // A proxy to a real server, which `PeerTests` runs it against.
        .target(name: "Aria2Example", dependencies: ["JSONRPCMacros"], path: "Examples/Aria2"),
        // Articles of a JSON:API server, which `JSONAPIServerTests` runs against a real one.
        .target(name: "NewsroomExample", dependencies: ["JSONAPI"], path: "Examples/Newsroom"),
        // The recipes of the article "Recipes", which `PeerTests` runs against real servers.
        .target(name: "BlockStreamExample", dependencies: ["JSONRPCWebSocket"], path: "Examples/BlockStream"),
        .target(
            name: "LanguageServerExample", dependencies: ["JSONRPCMacros", "JSONRPCWebSocket"],
            path: "Examples/LanguageServer"),
        .target(
            name: "ModelContextExample", dependencies: ["JSONRPCMacros", "JSONRPCWebSocket"],
            path: "Examples/ModelContext"),
    ]
)

// The sanitizers and other systems need some test targets only, and what these depend on. Without the macros there is no
// swift-syntax to build, which takes longer than the rest of the package.
if let names = Context.environment["JSONRPC_TEST_TARGETS"] {
    var needed: Set<String> = []
    var open = names.split(separator: " ").map(String.init)
    while let name = open.popLast() {
        guard let target = package.targets.first(where: { $0.name == name }), needed.insert(name).inserted else {
            continue
        }
        for case .byNameItem(let dependency, _) in target.dependencies { open.append(dependency) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}

for target in package.targets where [.regular, .test, .executable, .macro].contains(target.type) {
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}

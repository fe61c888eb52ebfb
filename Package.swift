// swift-tools-version: 6.2
// swift-jsonrpc · SPDX-License-Identifier: MIT

import CompilerPluginSupport
import PackageDescription

// MARK: Products of other packages

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let collections: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let histogram: Target.Dependency = .product(name: "Histogram", package: "hdrhistogram-swift")
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
let serviceLifecycle: Target.Dependency = .product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["ServiceLifecycle"]))
/// Only the plugin of the macros and their tests depend on swift-syntax: it is built where macros are used.
func swiftSyntax(_ products: String...) -> [Target.Dependency] {
    products.map { .product(name: $0, package: "swift-syntax") }
}

// MARK: Targets by family

/// A module in `Sources/<family>/<name>`.
func module(_ family: String, _ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(family)/\(name)")
}
/// A test target in `Tests/<family>/<name>`. `TestTurns` lets few tests of a process run at a time.
func tests(
    _ family: String, _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestTurns"], path: "Tests/\(family)/\(name)", exclude: exclude)
}
/// Tests of the session with a peer in memory.
func sessionTests(_ name: String) -> Target {
    tests(
        "JSONRPC", name,
        [
            "JSONRPCSession", "JSONRPCCore", "JSONRPCTesting", "SessionTestSupport", "TaskWaits", "TestSupport",
            "WireJSON", logging,
        ])
}
/// Tests of a macro's code. They depend on no macro target: all tests of the package would then be built for the host,
/// a second time.
func macroTests(_ family: String, _ module: String, _ dependencies: [Target.Dependency]) -> Target {
    tests(
        family, "\(module)Tests",
        dependencies + [.target(name: module), "JSONMacrosExpansion", "MacroTestSupport", "TestSupport"]
            + swiftSyntax("SwiftSyntaxBuilder", "SwiftSyntaxMacroExpansion"),
        exclude: ["Diagnostics/Golden", "Expansions/Golden"])
}

// For Linux with glibc only: Sources/C/CLibwebsockets/shim.h refuses to compile elsewhere.
let c: [Target] = [
    .systemLibrary(
        name: "CLibwebsockets", path: "Sources/C/CLibwebsockets", pkgConfig: "libwebsockets",
        providers: [.apt(["libwebsockets-dev"])]),
    .systemLibrary(name: "CZlib", path: "Sources/C/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // Only the tool uses it. With `pkgConfig`, SwiftPM would warn programs without libedit that use other modules.
    .systemLibrary(name: "CEditLine", path: "Sources/C/CEditLine"),
]

let json: [Target] = [
    module("JSON", "WireJSON"),
    tests("JSON", "WireJSONTests", ["WireJSON"], exclude: ["JSONTestSuite"]),
    module("JSON", "WireJSONMacros", ["WireJSON", "JSONMacrosPlugin"]),
    macroTests("JSON", "WireJSONMacros", ["WireJSON"]),
]

let network: [Target] = [
    // The seam between a session and what carries its messages.
    module("Network", "MessageTransport"),
    // A task's wait for one outcome, which can be cancelled, and the pause between attempts. All modules that wait use
    // it.
    module("Network", "TaskWaits"),
    tests("Network", "TaskWaitsTests", ["TaskWaits"]),
    // The event loop, dialling, TLS and byte streams, which know no WebSocket.
    module("Network", "Sockets", ["CLibwebsockets", "HTTPSyntax", "TaskWaits"]),
    tests("Network", "SocketsTests", ["CLibwebsockets", "Sockets", "TestSupport"]),
    // RFC 6455 over them.
    module(
        "Network", "WebSocket", ["CLibwebsockets", "HTTPSyntax", "MessageTransport", "Sockets", "TaskWaits", logging]),
    // The engine over libwebsockets.
    module("Network", "LWSWebSocket", ["CLibwebsockets", "HTTPSyntax", "WebSocket"]),
    tests(
        "Network", "WebSocketTests", ["CLibwebsockets", "LWSWebSocket", "Sockets", "WebSocket", "TestSupport"],
        exclude: ["Engines/Recorded"]),
    // The client that `make test-autobahn` runs against the Autobahn testsuite.
    .executableTarget(
        name: "autobahn-client", dependencies: ["LWSWebSocket", "WebSocket"], path: "Tests/Network/Autobahn"),
]

let jsonRPC: [Target] = [
    module("JSONRPC", "JSONRPCCore", ["WireJSON"]),
    tests("JSONRPC", "JSONRPCCoreTests", ["JSONRPCCore", "TestSupport", "WireJSON"]),
    module(
        "JSONRPC", "JSONRPCSession", ["JSONRPCCore", "MessageTransport", "TaskWaits", "WireJSON", collections, logging]),
    module(
        "JSONRPC", "JSONRPCWebSocket",
        ["JSONRPCSession", "JSONRPCCore", "LWSWebSocket", "TaskWaits", "WebSocket", "WireJSON"]),
    tests(
        "JSONRPC", "JSONRPCWebSocketTests",
        ["JSONRPCWebSocket", "JSONRPCSession", "JSONRPCTesting", "SessionTestSupport", "TaskWaits", "TestSupport"]),
    module(
        "JSONRPC", "JSONRPCHTTP",
        [
            "AsyncHTTPClientTransport", "CZlib", "HTTPRequests", "HTTPSyntax", "JSONRPCSession", "JSONRPCCore",
            "TaskWaits", "WireJSON", httpTypes, logging,
        ]),
    tests(
        "JSONRPC", "JSONRPCHTTPTests",
        [
            "AsyncHTTPClientTransport", "HTTPRequestsTesting", "JSONRPCHTTP", "JSONRPCTesting", "SessionTestSupport",
            "TestSupport", "URLSessionTransport", httpTypes,
        ]),
    module("JSONRPC", "JSONRPCMacros", ["JSONMacrosPlugin", "JSONRPCSession", "JSONRPCCore", "TaskWaits", "WireJSON"]),
    macroTests("JSONRPC", "JSONRPCMacros", ["JSONRPCTesting"]),
    module("JSONRPC", "JSONRPCTesting", ["JSONRPCSession", "JSONRPCCore", "TaskWaits", "WireJSON", collections]),
    tests(
        "JSONRPC", "JSONRPCTestingTests",
        ["JSONRPCTesting", "JSONRPCSession", "JSONRPCWebSocket", "SessionTestSupport", "TestSupport", "WireJSON"]),
    module("JSONRPC", "JSONRPCObservability", ["JSONRPCSession"] + observability),
    tests(
        "JSONRPC", "JSONRPCObservabilityTests",
        [
            "JSONRPCObservability", "JSONRPCSession", "JSONRPCTesting", "WireJSON",
            .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            .product(name: "Tracing", package: "swift-distributed-tracing"),
            .product(name: "MetricsTestKit", package: "swift-metrics"),
        ]),
    module("JSONRPC", "JSONRPCServiceLifecycle", ["JSONRPCWebSocket", serviceLifecycle]),
    tests(
        "JSONRPC", "JSONRPCServiceLifecycleTests",
        [
            "JSONRPCServiceLifecycle", "JSONRPCTesting", "JSONRPCWebSocket", logging,
            .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        ]),
    // What is held at the limits of the session and of the WebSocket: see Development/MemoryAtLimits.md.
    tests(
        "JSONRPC", "MemoryTests", ["JSONRPCSession", "JSONRPCWebSocket", "TestSupport", "WebSocket", "WireJSON"]),
    // Against servers and clients that others wrote.
    tests(
        "JSONRPC", "PeerTests",
        [
            "Aria2Dashboard", "BlockStreamExample", "ChatClient", "ChatServer", "JSONRPCHTTP", "JSONRPCMacros",
            "JSONRPCWebSocket", "LanguageServerClient", "ModelContextExample", "WebSocket", "TestSupport", httpTypes,
        ]),
]

/// The tests of `JSONRPCSession` by room, so that a change in the session is compiled with the tests of one room only.
let session: [Target] = [
    // Without a peer: nothing has to be built between the session and these tests.
    tests("JSONRPC", "SessionMachineTests", ["JSONRPCSession", "JSONRPCCore", "TaskWaits", "TestSupport", "WireJSON"]),
    sessionTests("SessionRequestTests"),
    sessionTests("SessionBatchTests"),
    sessionTests("SessionStreamTests"),
    sessionTests("SessionServingTests"),
    sessionTests("SessionClientTests"),
    sessionTests("SessionChaosTests"),
    // All other rooms.
    sessionTests("JSONRPCSessionTests"),
]

let http: [Target] = [
    // Dates, words and lists of header fields, and the syntax of URLs, for all modules that read or write them.
    module("HTTP", "HTTPSyntax"),
    tests("HTTP", "HTTPSyntaxTests", ["HTTPSyntax", "TestSupport"]),
    module("HTTP", "HTTPRequests", ["HTTPSyntax", "TaskWaits", "WireJSON", httpTypes, logging]),
    tests(
        "HTTP", "HTTPRequestsTests",
        ["HTTPRequests", "HTTPRequestsTesting", "HTTPSyntax", "TestSupport", "WireJSON", httpTypes, logging]),
    module("HTTP", "HTTPRequestsTesting", ["HTTPRequests", "TaskWaits", "WireJSON", httpTypes]),
    module("HTTP", "AsyncHTTPClientTransport", ["HTTPRequests", "HTTPSyntax", httpTypes] + asyncHTTPClient),
    module("HTTP", "URLSessionTransport", ["HTTPRequests", "HTTPSyntax", "TaskWaits", httpTypes]),
    tests(
        "HTTP", "HTTPTransportTests",
        [
            "AsyncHTTPClientTransport", "HTTPRequests", "TestSupport", "URLSessionTransport", httpTypes,
            .product(name: "AsyncHTTPClient", package: "async-http-client"),
        ]),
]

let jsonAPI: [Target] = [
    module("JSONAPI", "JSONAPI", ["HTTPRequests", "HTTPSyntax", "WireJSON", httpTypes]),
    tests(
        "JSONAPI", "JSONAPITests",
        ["HTTPRequests", "HTTPRequestsTesting", "JSONAPI", "JSONRPCCore", "WireJSON", httpTypes]),
    module("JSONAPI", "JSONAPIMacros", ["JSONAPI", "JSONMacrosPlugin"]),
    macroTests("JSONAPI", "JSONAPIMacros", ["JSONAPI", "WireJSON"]),
    module(
        "JSONAPI", "JSONAPITesting",
        ["HTTPRequests", "HTTPRequestsTesting", "HTTPSyntax", "JSONAPI", "WireJSON", httpTypes]),
    tests(
        "JSONAPI", "JSONAPITestingTests",
        [
            "HTTPRequests", "HTTPRequestsTesting", "JSONAPI", "JSONAPITesting", "Newsroom", "TestSupport",
            "WireJSON", httpTypes,
        ]),
    // Against servers that others wrote.
    tests(
        "JSONAPI", "JSONAPIServerTests",
        ["HTTPRequests", "JSONAPI", "Newsroom", "TestSupport", "URLSessionTransport", "WireJSON", httpTypes]),
]

let macros: [Target] = [
    module(
        "Macros", "JSONMacrosExpansion",
        swiftSyntax("SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros")),
    // One plugin for all macros: the compiler runs it.
    .macro(
        name: "JSONMacrosPlugin",
        dependencies: ["JSONMacrosExpansion"] + swiftSyntax("SwiftCompilerPlugin", "SwiftSyntaxMacros"),
        path: "Sources/Macros/JSONMacrosPlugin"),
]

/// The transport of the tool without the trait AsyncHTTPClient. It needs libcurl, so Scripts/build-tool.sh leaves it out.
let fallbackTransport: [Target.Dependency] =
    Context.environment["JSONRPC_WITHOUT_URLSESSION"] == nil ? ["URLSessionTransport"] : []
let tool: [Target] = [
    .executableTarget(
        name: "jsonrpc",
        dependencies: [
            "AsyncHTTPClientTransport", "CEditLine", "CLibwebsockets", "HTTPSyntax", "JSONRPCHTTP", "JSONRPCTesting",
            "JSONRPCWebSocket", "LoadTester", "OpenRPC", "TaskWaits", "ToolSupport", "WebSocket", argumentParser,
            collections, httpTypes,
        ] + fallbackTransport,
        path: "Sources/Tool/jsonrpc"),
    tests(
        "Tool", "jsonrpcTests",
        [
            "jsonrpc", "JSONRPCWebSocket", "LoadTester", "OpenRPC", "TestSupport", "ToolSupport", "WebSocket",
            argumentParser, histogram, httpTypes,
        ]),
    // The loops, histograms and reports of `jsonrpc bench`.
    module("Tool", "LoadTester", ["CZlib", "HTTPSyntax", "JSONRPCSession", "ToolSupport", histogram]),
    tests("Tool", "LoadTesterTests", ["JSONRPCSession", "LoadTester", "TestSupport", "ToolSupport", histogram]),
    // Failures, exit statuses and texts for terminals, of the tool and its load tester.
    module("Tool", "ToolSupport", ["JSONRPCCore", "OpenRPC", "TaskWaits", "WireJSON"]),
    module("Tool", "OpenRPC", ["HTTPSyntax", "WireJSON"]),
    // What is generated is a part of it, to show that it compiles.
    tests("Tool", "OpenRPCTests", ["OpenRPC", "JSONRPCMacros", "TestSupport", "WireJSON", "WireJSONMacros"]),
]

/// A program in `Examples`: `swift run NAME`. It is no product, so packages that depend on this one do not see it.
func program(_ name: String, _ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Examples/\(folder)", exclude: ["README.md"])
}

/// Tests run the programs, and import them and the libraries, against real servers.
let examples: [Target] = [
    program("Aria2Dashboard", "Aria2", ["JSONRPCMacros", "JSONRPCWebSocket"]),
    program("LanguageServerClient", "LanguageServer", ["JSONRPCMacros", "JSONRPCWebSocket"]),
    program("Newsroom", "Newsroom", ["HTTPRequests", "JSONAPI", "URLSessionTransport"]),
    .executableTarget(name: "ChatServer", dependencies: ["JSONRPCWebSocket"], path: "Examples/Chat/Server"),
    .executableTarget(name: "ChatClient", dependencies: ["JSONRPCWebSocket"], path: "Examples/Chat/Client"),
    .target(name: "BlockStreamExample", dependencies: ["JSONRPCWebSocket"], path: "Examples/BlockStream"),
    .target(
        name: "ModelContextExample", dependencies: ["JSONRPCMacros", "JSONRPCWebSocket"], path: "Examples/ModelContext"),
]

let testSupport: [Target] = [
    // Knows only the module of waits, so a change in another one does not compile it again.
    .target(
        name: "TestSupport", dependencies: ["HeapSupport", "SanitizerSupport", "TaskWaits"],
        path: "Tests/Support/TestSupport"),
    .target(
        name: "SessionTestSupport",
        dependencies: ["JSONRPCSession", "JSONRPCCore", "JSONRPCTesting", "TestSupport", "WireJSON"],
        path: "Tests/Support/SessionTestSupport"),
    .target(
        name: "MacroTestSupport",
        dependencies: swiftSyntax("SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxMacroExpansion"),
        path: "Tests/Support/MacroTestSupport"),
    .target(name: "TestTurns", path: "Tests/Support/TestTurns"),
    // What `malloc` knows of itself, which Swift's `Glibc` does not show.
    .target(name: "HeapSupport", path: "Tests/Support/HeapSupport"),
    // Has an effect under the thread sanitizer only.
    .target(name: "SanitizerSupport", path: "Tests/Support/SanitizerSupport"),
]

// MARK: The package

let libraries = [
    "JSONRPCWebSocket", "JSONRPCSession", "JSONRPCCore", "JSONRPCMacros", "JSONRPCTesting", "JSONRPCHTTP",
    "JSONRPCObservability", "JSONRPCServiceLifecycle", "HTTPRequests", "HTTPRequestsTesting",
    "AsyncHTTPClientTransport", "URLSessionTransport", "JSONAPI", "JSONAPIMacros", "JSONAPITesting", "WireJSON",
    "WireJSONMacros", "WebSocket",
]

let package = Package(
    name: "swift-jsonrpc",
    // Programs that use `WebSocket` without JSON-RPC can use both engines.
    products: libraries.map { .library(name: $0, targets: $0 == "WebSocket" ? [$0, "LWSWebSocket"] : [$0]) }
        + [.executable(name: "jsonrpc", targets: ["jsonrpc"])],
    traits: [
        .default(enabledTraits: ["AsyncHTTPClient", "Metrics", "ServiceLifecycle", "Tracing"]),
        .trait(
            name: "AsyncHTTPClient",
            description: "AsyncHTTPClientTransport, over async-http-client and SwiftNIO. On by default."),
        .trait(
            name: "Metrics",
            description: "SessionMetrics in JSONRPCObservability, over swift-metrics. On by default."),
        .trait(
            name: "ServiceLifecycle",
            description: "JSONRPCServiceLifecycle, over swift-service-lifecycle. On by default."),
        .trait(
            name: "Tracing",
            description: "CallTracing in JSONRPCObservability, over swift-distributed-tracing. On by default."),
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
    targets: c + json + network + jsonRPC + session + http + jsonAPI + macros + tool + examples + testSupport
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
        for dependency in target.dependencies {
            if case .byNameItem(let dependency, _) = dependency { open.append(dependency) }
            if case .targetItem(let dependency, _) = dependency { open.append(dependency) }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}

for target in package.targets where [.regular, .test, .executable, .macro].contains(target.type) {
    let isStrict = ["HTTPSyntax", "WireJSON", "MessageTransport", "Sockets", "WebSocket", "LWSWebSocket"]
        .contains(target.name)
    let safety: [SwiftSetting] = isStrict ? [.strictMemorySafety()] : []
    target.swiftSettings =
        safety + [
            .swiftLanguageMode(.v6),
            .enableUpcomingFeature("ExistentialAny"),  // SE-0335
            .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
            .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
        ]
}

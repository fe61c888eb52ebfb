// swift-jsonrpc · SPDX-License-Identifier: MIT

import ArgumentParser
import JSONRPCWebSocket

/// The option for the WebSocket engine, of commands that connect or listen.
struct EngineOptions: ParsableArguments {
    enum Name: String, ExpressibleByArgument, CaseIterable {
        case builtin, libwebsockets
    }

    @Option(
        name: .customLong("engine"),
        help: ArgumentHelp(
            "Let this code speak WebSocket: builtin, or libwebsockets for connections without code of this package. "
                + "The default is builtin.", valueName: "builtin|libwebsockets"))
    var name: Name?

    var engine: WebSocketEngine { name == .libwebsockets ? .libwebsockets : .builtIn }

    /// Checks that the engine supports these options.
    func check(compression: Bool = false, listeningAt unix: String? = nil) throws {
        guard name == .libwebsockets, let option = compression ? "--compression" : unix.map({ _ in "--unix" }) else {
            return
        }
        throw ValidationError("\(option) cannot be used with --engine libwebsockets.")
    }
}

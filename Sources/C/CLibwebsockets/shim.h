// swift-jsonrpc · SPDX-License-Identifier: MIT
#ifndef SWIFT_JSONRPC_CLIBWEBSOCKETS_SHIM_H
#define SWIFT_JSONRPC_CLIBWEBSOCKETS_SHIM_H

#include <libwebsockets.h>
#include <stdbool.h>

#if !defined(__linux__)
#error "This package supports Linux with glibc only: its event loops are untested, and incomplete, elsewhere."
#endif
#if LWS_LIBRARY_VERSION_NUMBER < 4001000
#error "libwebsockets 4.1 or newer is needed: install a newer libwebsockets-dev, or build one and set PKG_CONFIG_PATH."
#endif
#if !defined(LWS_ROLE_RAW_FILE)
#error "libwebsockets was built without LWS_ROLE_RAW_FILE, which the event loops need: build it with -DLWS_ROLE_RAW_FILE=ON."
#endif
#if !defined(LWS_WITH_NETWORK)
#error "libwebsockets was built without LWS_WITH_NETWORK: build it with -DLWS_WITH_NETWORK=ON."
#endif
#if !defined(LWS_ROLE_WS) || !defined(LWS_WITH_CLIENT) || !defined(LWS_WITH_SERVER) || !defined(LWS_WITH_TLS)
#error "libwebsockets was built without WebSocket, clients, servers or TLS, which the engine over libwebsockets needs."
#endif
#if defined(LWS_MAX_SMP) && LWS_MAX_SMP > 1
#error "libwebsockets was built with LWS_MAX_SMP above 1: a context may then serve a connection on any thread."
#endif

/// Option of `lws_create_context`: vhosts are made explicitly.
static const uint64_t CLWS_OPTION_EXPLICIT_VHOSTS = LWS_SERVER_OPTION_EXPLICIT_VHOSTS;

/// Option of `lws_create_context` and `lws_create_vhost` if lws should do TLS handshakes.
static const uint64_t CLWS_OPTION_TLS = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;

/// Makes lws poll a descriptor without reading or writing it. Returns false on failure.
static inline bool CLWS_adopt(struct lws_vhost *vhost, int descriptor, const char *protocol) {
    lws_sock_file_fd_type fd;
    fd.filefd = descriptor;
    return lws_adopt_descriptor_vhost(vhost, LWS_ADOPT_RAW_FILE_DESC, fd, protocol, NULL) != NULL;
}

#endif

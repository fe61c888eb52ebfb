// swift-jsonrpc · SPDX-License-Identifier: MIT
#ifndef SWIFT_JSONRPC_CLIBWEBSOCKETS_SHIM_H
#define SWIFT_JSONRPC_CLIBWEBSOCKETS_SHIM_H

#include <libwebsockets.h>

#if LWS_LIBRARY_VERSION_NUMBER < 4001000
#error "libwebsockets 4.1 or newer is needed"
#endif

/// `LWS_PRE` is a compound macro, which Swift does not import.
static const int CLWS_PRE = LWS_PRE;

#endif

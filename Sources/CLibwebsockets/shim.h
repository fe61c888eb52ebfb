// swift-jsonrpc · SPDX-License-Identifier: MIT
#ifndef SWIFT_JSONRPC_CLIBWEBSOCKETS_SHIM_H
#define SWIFT_JSONRPC_CLIBWEBSOCKETS_SHIM_H

#include <libwebsockets.h>
#include <poll.h>
#ifdef __linux__
#include <sys/random.h>
#endif

#if LWS_LIBRARY_VERSION_NUMBER < 4001000
#error "libwebsockets 4.1 or newer is needed"
#endif

/// `LWS_PRE` is a compound macro, which Swift does not import.
static const int CLWS_PRE = LWS_PRE;

/// Options of contexts and vhosts. They are macros over shifted literals, some of which Swift does not import.
static const uint64_t CLWS_OPTION_EXPLICIT_VHOSTS = LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
static const uint64_t CLWS_OPTION_DO_SSL_GLOBAL_INIT = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
static const uint64_t CLWS_OPTION_CREATE_VHOST_SSL_CTX = LWS_SERVER_OPTION_CREATE_VHOST_SSL_CTX;
static const uint64_t CLWS_OPTION_UNIX_SOCK = LWS_SERVER_OPTION_UNIX_SOCK;
static const uint64_t CLWS_OPTION_DISABLE_IPV6 = LWS_SERVER_OPTION_DISABLE_IPV6;
static const uint64_t CLWS_OPTION_DISABLE_OS_CA_CERTS = LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
static const uint64_t CLWS_OPTION_FAIL_UPON_UNABLE_TO_BIND = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;

/// A macro alias of an enumerator, which Swift does not import.
static const enum lws_write_protocol CLWS_WRITE_RAW = LWS_WRITE_RAW;

/// Linux's "the peer has shut down its side", which glibc shows only to `_GNU_SOURCE`.
#ifdef __linux__
static const short CLWS_POLLRDHUP = 0x2000;
#endif

/// A timer with its owner beside it: lws hands only the first member to the timer's callback.
struct clws_timer {
    lws_sorted_usec_list_t sul;
    void *owner;
};

#endif

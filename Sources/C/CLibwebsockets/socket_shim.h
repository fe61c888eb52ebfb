// swift-jsonrpc · SPDX-License-Identifier: MIT
#ifndef SWIFT_JSONRPC_CLIBWEBSOCKETS_SOCKET_SHIM_H
#define SWIFT_JSONRPC_CLIBWEBSOCKETS_SOCKET_SHIM_H

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>

// glibc shows accept4(2) to `_GNU_SOURCE` only.
extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

/// Accepts a connection whose socket does not block, and which a program that is started does not inherit.
static inline int CLWS_accept(int listener, struct sockaddr *address, socklen_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// Linux's "the peer has shut down its side", which glibc shows only to `_GNU_SOURCE`.
static const short CLWS_POLLRDHUP = 0x2000;

#endif

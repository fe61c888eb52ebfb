// swift-jsonrpc · SPDX-License-Identifier: MIT
#ifndef SWIFT_JSONRPC_CLIBWEBSOCKETS_SOCKET_SHIM_H
#define SWIFT_JSONRPC_CLIBWEBSOCKETS_SOCKET_SHIM_H

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>

// glibc only declares accept4(2) with `_GNU_SOURCE`.
extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

/// Accepts a connection as a nonblocking socket that child programs do not inherit.
static inline int CLWS_accept(int listener, struct sockaddr *address, socklen_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// The milliseconds since bytes were received on a TCP connection, or -1 if the kernel does not know.
static inline int64_t CLWS_milliseconds_since_receipt(int socket) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 || length < sizeof info) return -1;
    return info.tcpi_last_data_recv;
}

/// Holds back incomplete segments, or sends them.
static inline void CLWS_cork(int socket, int is_corked) {
    setsockopt(socket, IPPROTO_TCP, TCP_CORK, &is_corked, sizeof is_corked);
}

/// Linux's event for a peer that has shut down its side. glibc only defines it with `_GNU_SOURCE`.
static const short CLWS_POLLRDHUP = 0x2000;

#endif

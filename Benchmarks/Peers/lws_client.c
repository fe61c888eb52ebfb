// swift-jsonrpc · SPDX-License-Identifier: MIT
//
// A JSON-RPC client in C over libwebsockets, to measure ours against. Compiled in two ways:
//
//   plain        one lws_write(LWS_WRITE_TEXT) per message, as lws's documentation shows it
//   -DCOALESCE   many frames, masked here, in one lws_write(LWS_WRITE_RAW)
//
// Single-threaded; a response is matched by the number behind its first `"id":`.

#include <libwebsockets.h>
#include <sys/random.h>
#include "measurement.h"

#define LARGEST_WRITE 65536

static struct workload workload;
static struct measurement measurement;
static uint8_t outgoing[LWS_PRE + LARGEST_WRITE];
static uint8_t *message;  // A response that comes in pieces is put together here.
static size_t message_length, message_capacity;
static int result = -1;

static size_t put_request(char *to, size_t room, uint32_t id) {
    int length = snprintf(to, room, "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"%s\",\"params\":%s}", id,
                          workload.method, workload.params);
    if (length < 0 || (size_t)length >= room) {
        fprintf(stderr, "the request is too large for this client\n");
        exit(2);
    }
    return (size_t)length;
}

static int may_send(void) {
    return measurement.sent < workload.count && measurement.sent - measurement.received < workload.concurrency;
}

#ifdef COALESCE
// Masking keys come from the system in bulk, one fresh key per frame (RFC 6455 §5.3).
static uint32_t masking_key(void) {
    static uint32_t keys[1024];
    static unsigned used = 1024;
    if (used == 1024) {
        if (getrandom(keys, sizeof keys, 0) != sizeof keys) exit(1);
        used = 0;
    }
    return keys[used++];
}

static size_t put_frame(uint8_t *to, const char *text, size_t length) {
    size_t at = 0;
    to[at++] = 0x81;
    if (length < 126) {
        to[at++] = (uint8_t)(0x80 | length);
    } else {
        to[at++] = 0x80 | 126;
        to[at++] = (uint8_t)(length >> 8);
        to[at++] = (uint8_t)length;
    }
    uint32_t key = masking_key();
    memcpy(to + at, &key, 4);
    at += 4;
    uint64_t wide = (uint64_t)key << 32 | key;
    size_t index = 0;
    for (; index + 8 <= length; index += 8) {
        uint64_t word;
        memcpy(&word, text + index, 8);
        word ^= wide;
        memcpy(to + at + index, &word, 8);
    }
    for (; index < length; index++) to[at + index] = (uint8_t)text[index] ^ ((uint8_t *)&key)[index & 3];
    return at + length;
}

static int send_requests(struct lws *wsi) {
    char request[16384];
    size_t filled = 0;
    while (may_send()) {
        size_t length = put_request(request, sizeof request, measurement.sent);
        if (filled + length + 14 > LARGEST_WRITE) break;
        filled += put_frame(outgoing + LWS_PRE + filled, request, length);
        measurement.sent_at[measurement.sent++] = nanoseconds();
    }
    if (filled && lws_write(wsi, outgoing + LWS_PRE, filled, LWS_WRITE_RAW) < 0) return -1;
    if (may_send()) lws_callback_on_writable(wsi);
    return 0;
}
#else
static int send_requests(struct lws *wsi) {
    while (may_send() && !lws_send_pipe_choked(wsi)) {
        size_t length = put_request((char *)outgoing + LWS_PRE, LARGEST_WRITE, measurement.sent);
        measurement.sent_at[measurement.sent++] = nanoseconds();
        if (lws_write(wsi, outgoing + LWS_PRE, length, LWS_WRITE_TEXT) < 0) return -1;
    }
    if (may_send()) lws_callback_on_writable(wsi);
    return 0;
}
#endif

static void take_response(struct lws *wsi, const char *text, size_t length) {
    size_t searched = length < 4096 ? length : 4096;
    const char *id = memmem(text, searched, "\"id\":", 5);
    char *end = NULL;
    unsigned long number = id ? strtoul(id + 5, &end, 10) : UINT32_MAX;
    if (number >= measurement.sent || !measurement.sent_at[number]) {
        fprintf(stderr, "unexpected message: %.*s\n", (int)(length < 200 ? length : 200), text);
        result = 1;
        return;
    }
    uint64_t now = nanoseconds();
    measurement.latency[measurement.received++] = now - measurement.sent_at[number];
    measurement.sent_at[number] = 0;
    if (memmem(text, searched, "\"error\":", 8)) measurement.errors++;
    measurement.ended_at = now;
    if (measurement.received == workload.count) result = 0;
    else if (may_send()) lws_callback_on_writable(wsi);
}

static void take_piece(struct lws *wsi, const char *bytes, size_t length) {
    measurement.bytes_received += length;
    int is_whole = lws_is_final_fragment(wsi) && !lws_remaining_packet_payload(wsi);
    if (is_whole && !message_length && length) {
        // strtoul stops at the character behind the number, which is still inside the object.
        take_response(wsi, bytes, length);
        return;
    }
    if (message_length + length > message_capacity) {
        message_capacity = (message_length + length) * 2;
        message = realloc(message, message_capacity);
        if (!message) exit(1);
    }
    memcpy(message + message_length, bytes, length);
    message_length += length;
    if (is_whole) {
        take_response(wsi, (char *)message, message_length);
        message_length = 0;
    }
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    (void)user;
    switch (reason) {
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        measurement.processor_started_at = processor_nanoseconds();
        measurement.started_at = nanoseconds();
        lws_callback_on_writable(wsi);
        break;
    case LWS_CALLBACK_CLIENT_WRITEABLE: return send_requests(wsi);
    case LWS_CALLBACK_CLIENT_RECEIVE: take_piece(wsi, in, length); break;
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        fprintf(stderr, "cannot connect: %s\n", in ? (char *)in : "no reason given");
        result = 1;
        break;
    case LWS_CALLBACK_CLIENT_CLOSED:
        if (result < 0) fprintf(stderr, "connection lost\n"), result = 1;
        break;
    default: break;
    }
    return 0;
}

int main(int argc, char **argv) {
    workload = parse_workload(argc, argv);
    measurement.sent_at = zeroed(workload.count, sizeof(uint64_t));
    measurement.latency = zeroed(workload.count, sizeof(uint64_t));

    char *url = strdup(argv[1]);
    const char *scheme, *address, *path;
    int port;
    if (lws_parse_uri(url, &scheme, &address, &port, &path)) return 2;
    char full_path[1024];
    snprintf(full_path, sizeof full_path, "/%s", path);

    const struct lws_protocols protocols[] = {
        {.name = "client", .callback = on_event, .rx_buffer_size = 16384, .tx_packet_size = LARGEST_WRITE}, {0}};
    lws_set_log_level(LLL_ERR, NULL);
    struct lws_context_creation_info info = {.port = CONTEXT_PORT_NO_LISTEN, .protocols = protocols};
    int uses_tls = !strcmp(scheme, "wss");
    if (uses_tls) info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    struct lws_context *context = lws_create_context(&info);
    if (!context) return 1;
    struct lws_client_connect_info dial = {.context = context,
                                           .address = address,
                                           .port = port,
                                           .path = full_path,
                                           .host = address,
                                           .ssl_connection = uses_tls ? LCCSCF_USE_SSL : 0,
                                           .local_protocol_name = "client",
                                           .ietf_version_or_minus_one = -1};
    if (!lws_client_connect_via_info(&dial)) {
        fprintf(stderr, "cannot connect\n");
        return 1;
    }
    while (result < 0 && lws_service(context, 0) >= 0) {}
    measurement.processor_ended_at = processor_nanoseconds();
    if (result == 0) print_measurement(&measurement);
    return result == 0 ? 0 : 1;
}

// swift-jsonrpc · SPDX-License-Identifier: MIT
//
// What the C clients share: their arguments, the clock, and the one line of JSON which they print. The line has the
// members of `jsonrpc bench --json`. Times run from the opened connection to the last response.

#ifndef MEASUREMENT_H
#define MEASUREMENT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/resource.h>

struct workload {
    const char *url, *method, *params;
    uint32_t concurrency, count;
};

struct measurement {
    uint64_t started_at, ended_at, processor_started_at, processor_ended_at, bytes_received;
    uint64_t *sent_at;  // by request id
    uint64_t *latency;  // in order of arrival
    uint32_t sent, received, errors;
};

static inline uint64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// What this process has used of the processors, in the kernel too.
static inline uint64_t processor_nanoseconds(void) {
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

static inline struct workload parse_workload(int argc, char **argv) {
    if (argc != 6) {
        fprintf(stderr, "usage: %s ws://HOST:PORT/PATH METHOD PARAMS CONCURRENCY COUNT\n", argv[0]);
        exit(2);
    }
    struct workload workload = {argv[1], argv[2], argv[3], (uint32_t)atol(argv[4]), (uint32_t)atol(argv[5])};
    if (!workload.concurrency || !workload.count) {
        fprintf(stderr, "%s: CONCURRENCY and COUNT are positive integers\n", argv[0]);
        exit(2);
    }
    return workload;
}

static inline void *zeroed(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memory;
}

static int by_size(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static inline double percentile(const struct measurement *m, double share) {
    uint32_t index = (uint32_t)(share * (double)(m->received - 1) + 0.5);
    return (double)m->latency[index] / 1000.0;
}

static inline void print_measurement(struct measurement *m) {
    double seconds = (double)(m->ended_at - m->started_at) / 1e9;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    qsort(m->latency, m->received, sizeof *m->latency, by_size);
    printf("{\"calls\":%u,\"errors\":%u,\"seconds\":%.6f,\"calls_per_second\":%.1f,\"bytes_received\":%llu,"
           "\"processor_us_per_call\":%.3f,\"peak_rss_bytes\":%llu,\"latency_us\":{\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"p999\":%.1f,"
           "\"max\":%.1f}}\n",
           m->received, m->errors, seconds, m->received / seconds, (unsigned long long)m->bytes_received,
           (double)(m->processor_ended_at - m->processor_started_at) / 1000.0 / m->received,
           (unsigned long long)usage.ru_maxrss * 1024, percentile(m, 0.5), percentile(m, 0.9), percentile(m, 0.99),
           percentile(m, 0.999), percentile(m, 1));
}

#endif

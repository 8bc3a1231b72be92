package io.statestore.dafka.reading.internal;

/**
 * Range of records to request. Internal: not part of the API.
 *
 * @param first sequence number of the first record
 * @param count number of records, at least 1
 */
record FetchRange(long first, int count) {
}

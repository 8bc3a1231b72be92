package io.statestore.dafka.reading;

/**
 * Records to ask for.
 *
 * @param first the first of them
 * @param count how many, at least one
 */
public record FetchRange(long first, int count) {
}

package io.statestore.broker.security;

/**
 * A pattern for keys.
 *
 * @param pattern the pattern
 * @param line the line of its rule
 */
record KeyRule(KeyPattern pattern, int line) {
}

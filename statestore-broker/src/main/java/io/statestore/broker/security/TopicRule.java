package io.statestore.broker.security;

/**
 * A filter of topics.
 *
 * @param pattern the filter
 * @param line the line of its rule
 */
record TopicRule(TopicPattern pattern, int line) {
}

package io.statestore.dafka;

/**
 * Identifies a record by its topic, partition, and offset.
 *
 * @param topic name of the topic
 * @param partition producer's address
 * @param offset sequence number in the partition, from 0
 */
public record Position(String topic, String partition, long offset) {
}

package io.statestore.dafka;

/**
 * Position of a record.
 *
 * @param topic name of the topic
 * @param partition address of the producer
 * @param offset sequence number in the partition, from 0
 */
public record Position(String topic, String partition, long offset) {
}

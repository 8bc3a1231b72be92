package io.statestore.dafka;

/**
 * The place of one record.
 *
 * @param topic the name of the topic
 * @param partition the address of the producer
 * @param offset the number of the record in its partition, from 0
 */
public record Position(String topic, String partition, long offset) {
}

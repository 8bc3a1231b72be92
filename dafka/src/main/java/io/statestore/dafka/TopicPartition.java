package io.statestore.dafka;

/**
 * What one producer writes to one topic: the unit of order in Dafka.
 *
 * @param topic the name of the topic
 * @param partition the address of the producer, normally 32 hexadecimal digits
 */
public record TopicPartition(String topic, String partition) {
}

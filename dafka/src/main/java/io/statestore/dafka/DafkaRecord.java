package io.statestore.dafka;

/**
 * Record received by a consumer.
 *
 * @param topic name of the topic
 * @param partition producer's address
 * @param offset sequence number in the partition, from 0, without gaps
 * @param content record content, which may be empty
 */
public record DafkaRecord(String topic, String partition, long offset, Bytes content) {
}

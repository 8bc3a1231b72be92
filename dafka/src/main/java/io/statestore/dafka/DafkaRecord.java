package io.statestore.dafka;

/**
 * Record as a consumer receives it.
 *
 * @param topic name of the topic
 * @param partition address of the producer
 * @param offset sequence number in the partition, from 0, without gaps
 * @param content content of the record, may be empty
 */
public record DafkaRecord(String topic, String partition, long offset, Bytes content) {
}

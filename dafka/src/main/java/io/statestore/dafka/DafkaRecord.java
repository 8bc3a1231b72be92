package io.statestore.dafka;

/**
 * One record as a consumer gets it.
 *
 * @param topic the name of the topic
 * @param partition the address of the producer that wrote it
 * @param offset its number in the partition, from 0, without gaps
 * @param content what the producer sent, perhaps empty
 */
public record DafkaRecord(String topic, String partition, long offset, Bytes content) {
}

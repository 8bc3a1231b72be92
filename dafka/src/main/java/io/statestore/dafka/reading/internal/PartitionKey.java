package io.statestore.dafka.reading.internal;

import java.nio.charset.StandardCharsets;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.TopicPartition;

/**
 * Key of a partition, with the bytes on the wire. Internal: not part of the API.
 *
 * @param address address of the producer
 * @param subject the topic
 */
public record PartitionKey(Bytes address, Bytes subject) {

	/**
	 * Returns this key as text, for users.
	 * @return the partition
	 */
	public TopicPartition names() {
		return new TopicPartition(this.subject.toText(),
				new String(this.address.unwrap(), StandardCharsets.ISO_8859_1));
	}

}

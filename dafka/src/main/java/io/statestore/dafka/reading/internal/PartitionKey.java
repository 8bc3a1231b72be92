package io.statestore.dafka.reading.internal;

import java.nio.charset.StandardCharsets;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.TopicPartition;

/**
 * Key of a partition, in wire form. Internal: not part of the API.
 *
 * @param address producer's address
 * @param subject topic of the records
 */
public record PartitionKey(Bytes address, Bytes subject) {

	/**
	 * Returns the names in this key as strings, for users.
	 * @return the partition that this key identifies
	 */
	public TopicPartition names() {
		return new TopicPartition(this.subject.toText(),
				new String(this.address.unwrap(), StandardCharsets.ISO_8859_1));
	}

}

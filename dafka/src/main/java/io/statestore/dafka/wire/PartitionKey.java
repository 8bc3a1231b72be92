package io.statestore.dafka.wire;

import java.nio.charset.StandardCharsets;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.TopicPartition;

/**
 * A partition as the wire names it.
 *
 * @param address of the producer
 * @param subject the topic
 */
public record PartitionKey(Bytes address, Bytes subject) {

	/** The names that users see. */
	public TopicPartition names() {
		return new TopicPartition(this.subject.toText(),
				new String(this.address.unwrap(), StandardCharsets.ISO_8859_1));
	}

}

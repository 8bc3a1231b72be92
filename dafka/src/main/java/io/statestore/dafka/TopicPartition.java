package io.statestore.dafka;

/**
 * Partition of a topic: the records of one producer, the unit of order in Dafka.
 *
 * @param topic name of the topic
 * @param partition producer's address, normally 32 hexadecimal digits
 */
public record TopicPartition(String topic, String partition) {

	/**
	 * Returns the topic and partition, for messages. Replaces control characters, because
	 * peers choose the names and could otherwise forge log lines.
	 * @return topic and partition without control characters
	 */
	@Override
	public String toString() {
		return "TopicPartition[topic=" + printable(this.topic) + ", partition=" + printable(this.partition) + ']';
	}

	private static String printable(String name) {
		return name.replaceAll("[\\p{Cc}\\u2028\\u2029]", "?");
	}

}

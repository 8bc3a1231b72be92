package io.statestore.dafka;

/**
 * Partition of a topic: the records of one producer, the unit of order in Dafka.
 *
 * @param topic name of the topic
 * @param partition address of the producer, normally 32 hexadecimal digits
 */
public record TopicPartition(String topic, String partition) {

	/**
	 * Returns both names, for messages. Replaces control characters: peers choose the
	 * names, and could otherwise forge lines of a log.
	 * @return both names
	 */
	@Override
	public String toString() {
		return "TopicPartition[topic=" + printable(this.topic) + ", partition=" + printable(this.partition) + ']';
	}

	private static String printable(String name) {
		return name.replaceAll("[\\p{Cc}\\u2028\\u2029]", "?");
	}

}

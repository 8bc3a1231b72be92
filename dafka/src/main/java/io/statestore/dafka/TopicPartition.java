package io.statestore.dafka;

/**
 * What one producer writes to one topic: the unit of order in Dafka.
 *
 * @param topic the name of the topic
 * @param partition the address of the producer, normally 32 hexadecimal digits
 */
public record TopicPartition(String topic, String partition) {

	/**
	 * Returns both names. Peers choose them, so control characters are replaced: a name
	 * cannot forge a line of a log.
	 */
	@Override
	public String toString() {
		return "TopicPartition[topic=" + printable(this.topic) + ", partition=" + printable(this.partition) + ']';
	}

	private static String printable(String name) {
		return name.replaceAll("[\\p{Cc}\\u2028\\u2029]", "?");
	}

}

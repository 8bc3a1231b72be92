package io.statestore.dafka;

/**
 * Records of one producer and topic, the unit of order in Dafka.
 *
 * @param topic the name of the topic
 * @param partition the address of the producer, normally 32 hexadecimal digits
 */
public record TopicPartition(String topic, String partition) {

	/**
	 * Returns both names. Peers choose them, so control characters are replaced, which
	 * prevents forged log lines.
	 */
	@Override
	public String toString() {
		return "TopicPartition[topic=" + printable(this.topic) + ", partition=" + printable(this.partition) + ']';
	}

	private static String printable(String name) {
		return name.replaceAll("[\\p{Cc}\\u2028\\u2029]", "?");
	}

}

package io.statestore.dafka.spring.listener;

/** The headers of messages that a {@link DafkaListener} gets. */
public final class DafkaHeaders {

	/** The name of the topic, a text. */
	public static final String TOPIC = "dafka_topic";

	/** The address of the producer, a text. */
	public static final String PARTITION = "dafka_partition";

	/** The number of the record in its partition, a {@code long}. */
	public static final String OFFSET = "dafka_offset";

	private DafkaHeaders() {
	}

}

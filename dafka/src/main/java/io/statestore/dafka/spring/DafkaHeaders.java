package io.statestore.dafka.spring;

/** Headers of the messages that a {@link DafkaListener} receives. */
public final class DafkaHeaders {

	/** Name of the topic, a {@code String}. */
	public static final String TOPIC = "dafka_topic";

	/** Address of the producer, a {@code String}. */
	public static final String PARTITION = "dafka_partition";

	/** Number of the record in its partition, a {@code long}. */
	public static final String OFFSET = "dafka_offset";

	private DafkaHeaders() {
	}

}

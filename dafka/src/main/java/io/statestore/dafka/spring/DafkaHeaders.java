package io.statestore.dafka.spring;

/** Headers of messages that a {@link DafkaListener} receives. */
public final class DafkaHeaders {

	/** Topic name, a {@code String}. */
	public static final String TOPIC = "dafka_topic";

	/** Producer's address, a {@code String}. */
	public static final String PARTITION = "dafka_partition";

	/** Sequence number of the record in its partition, from 0, a {@code long}. */
	public static final String OFFSET = "dafka_offset";

	private DafkaHeaders() {
	}

}

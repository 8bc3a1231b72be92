package io.statestore.dafka.producer;

import java.nio.file.Path;

import io.statestore.dafka.node.Node;

/**
 * The address of a producer and how far it has counted. Used by the thread of one
 * producer.
 */
public interface Identity extends AutoCloseable {

	/** The address, the name of its partitions. */
	String address();

	/** Where a topic goes on. */
	Counter counter(String topic);

	@Override
	void close();

	/** A new address that ends with the producer. */
	static Identity random() {
		return new RandomIdentity(Node.newAddress());
	}

	/**
	 * An address and counters that are kept in a directory, so that a producer goes on in
	 * its partitions after a restart. Only one producer at a time may use it. What was
	 * counted survives the end of the process. After a failure of the whole machine, or
	 * restored from a copy, it may be older than the records: use a new directory then.
	 * @throws io.statestore.dafka.DafkaException if the directory cannot be used, or
	 * another producer uses it
	 */
	static Identity directory(Path directory) {
		return new DirectoryIdentity(directory);
	}

	/** Counts the records of one topic. */
	interface Counter {

		/** The number of the next record. */
		long next();

		/** The number behind the last one that a store acknowledged. */
		long acknowledged();

		void setNext(long next);

		void setAcknowledged(long acknowledged);

	}

}

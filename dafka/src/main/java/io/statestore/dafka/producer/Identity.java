package io.statestore.dafka.producer;

import java.nio.file.Path;

import io.statestore.dafka.node.Node;

/**
 * Address of a producer, with the counters of its topics. Used by the thread of one
 * producer.
 */
public interface Identity extends AutoCloseable {

	/**
	 * Returns the address, which is the name of the partitions.
	 * @return the address
	 */
	String address();

	/**
	 * Returns the counter of a topic.
	 * @param topic name of the topic
	 * @return the counter
	 */
	Counter counter(String topic);

	@Override
	void close();

	/**
	 * Returns an identity with a new address, which is not saved.
	 * @return a new identity
	 */
	static Identity random() {
		return new RandomIdentity(Node.newAddress());
	}

	/**
	 * Returns an identity that is saved in a directory, with which a producer continues
	 * its partitions after a restart. Only one producer at a time may use it. The
	 * counters survive a crash of the process. After a crash of the machine, or restored
	 * from a copy, they may be older than the records: use a new directory then.
	 * @param directory the directory
	 * @return the identity
	 * @throws io.statestore.dafka.DafkaException if the directory cannot be used, or
	 * another producer uses it
	 */
	static Identity directory(Path directory) {
		return new DirectoryIdentity(directory);
	}

	/** Counter of the records of a topic. */
	interface Counter {

		/**
		 * Returns the sequence number of the next record.
		 * @return the number
		 */
		long next();

		/**
		 * Returns the sequence number after the last acknowledged record.
		 * @return the number
		 */
		long acknowledged();

		void setNext(long next);

		void setAcknowledged(long acknowledged);

	}

}

package io.statestore.dafka.producer;

import java.nio.file.Path;

import io.statestore.dafka.node.internal.Node;

/**
 * Address of a producer, and the counters of its topics. Used by one producer.
 * {@link #counter} may be called by any thread; each counter is used by one thread.
 */
public interface Identity extends AutoCloseable {

	/**
	 * Returns the address, which names the partitions of the producer.
	 * @return the address, 1 to 255 characters
	 */
	String address();

	/**
	 * Returns the counter of a topic.
	 * @param topic name of the topic
	 * @return the counter
	 */
	Counter counter(String topic);

	/** Releases the identity, so that another producer may use it. */
	@Override
	void close();

	/**
	 * Returns an identity with a new address, which is not saved.
	 * @return a new identity
	 */
	static Identity random() {
		String address = Node.newAddress();
		return new Identity() {

			@Override
			public String address() {
				return address;
			}

			@Override
			public Counter counter(String topic) {
				return Counter.inMemory();
			}

			@Override
			public void close() {
			}

		};
	}

	/**
	 * Returns an identity that is saved in a directory. A producer continues its
	 * partitions after a restart. Only one producer at a time may use the directory. The
	 * counters survive a crash of the process. After a crash of the machine, or in a
	 * restored copy, they may be older than the records. In these cases, use a new
	 * directory.
	 * @param directory the directory, which is created if necessary
	 * @return the identity
	 * @throws io.statestore.dafka.DafkaException if the directory cannot be used, or
	 * another producer uses it
	 */
	static Identity directory(Path directory) {
		return new DirectoryIdentity(directory);
	}

	/** Counter of the records of a topic. Not thread-safe. */
	interface Counter {

		/**
		 * Returns the sequence number of the next record.
		 * @return the number
		 */
		long next();

		/**
		 * Returns the sequence number after the last acknowledged record. It may exceed
		 * that of the next record, which is then sent again.
		 * @return the number
		 */
		long acknowledged();

		/**
		 * Sets the sequence number of the next record.
		 * @param next the number
		 */
		void setNext(long next);

		/**
		 * Sets the sequence number after the last acknowledged record.
		 * @param acknowledged the number
		 */
		void setAcknowledged(long acknowledged);

		/**
		 * Returns a counter that starts at 0 and is not saved.
		 * @return a new counter
		 */
		static Counter inMemory() {
			return new Counter() {

				private long next;

				private long acknowledged;

				@Override
				public long next() {
					return this.next;
				}

				@Override
				public long acknowledged() {
					return this.acknowledged;
				}

				@Override
				public void setNext(long next) {
					this.next = next;
				}

				@Override
				public void setAcknowledged(long acknowledged) {
					this.acknowledged = acknowledged;
				}

			};
		}

	}

}

package io.statestore.dafka.producer;

import java.nio.ByteBuffer;
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
	final class Counter {

		private final ByteBuffer buffer;

		/**
		 * Creates a counter.
		 * @param buffer 16 bytes that keep its state
		 */
		public Counter(ByteBuffer buffer) {
			this.buffer = buffer;
		}

		/**
		 * Returns a counter that starts at 0 and is not saved.
		 * @return a new counter
		 */
		public static Counter inMemory() {
			return new Counter(ByteBuffer.allocate(2 * Long.BYTES));
		}

		/**
		 * Returns the sequence number of the next record.
		 * @return the number
		 */
		public long next() {
			return this.buffer.getLong(0);
		}

		/**
		 * Returns the sequence number after the last acknowledged record. It may exceed
		 * that of the next record, which is then sent again.
		 * @return the number
		 */
		public long acknowledged() {
			return this.buffer.getLong(Long.BYTES);
		}

		/**
		 * Sets the sequence number of the next record.
		 * @param next the number
		 */
		public void setNext(long next) {
			this.buffer.putLong(0, next);
		}

		/**
		 * Sets the sequence number after the last acknowledged record.
		 * @param acknowledged the number
		 */
		public void setAcknowledged(long acknowledged) {
			this.buffer.putLong(Long.BYTES, acknowledged);
		}

	}

}

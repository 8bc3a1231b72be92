package io.statestore.dafka.producer;

import java.nio.ByteBuffer;
import java.nio.file.Path;

import io.statestore.dafka.node.internal.Node;

/**
 * A producer's address and its topic counters. Only one producer may use an identity.
 * {@link #counter} may be called by any thread; each counter is used by one thread.
 */
public interface Identity extends AutoCloseable {

	/**
	 * Returns the address, which names the producer's partitions.
	 * @return the address, 1 to 255 characters
	 */
	String address();

	/**
	 * Returns the counter for a topic. By default, the counter is not saved.
	 * @param topic name of the topic
	 * @return a counter for the producer's thread
	 */
	default Counter counter(String topic) {
		return Counter.inMemory();
	}

	/**
	 * Releases the identity, so that another producer may use it. Does nothing by
	 * default.
	 */
	@Override
	default void close() {
	}

	/**
	 * Returns an identity with a random address, which is not saved.
	 * @return a new identity
	 */
	static Identity random() {
		String address = Node.newAddress();
		return () -> address;
	}

	/**
	 * Returns an identity that is saved in a directory. After a restart, the producer
	 * continues its partitions. Only one producer at a time may use the directory. The
	 * counters survive a process crash. After a machine crash, or in a restored copy of
	 * the directory, they may be older than the records. In these cases, use a new
	 * directory.
	 * @param directory the directory, which is created if necessary
	 * @return an identity that locks the directory until closed
	 * @throws io.statestore.dafka.DafkaException if the directory cannot be used, or
	 * another producer uses it
	 */
	static Identity directory(Path directory) {
		return new DirectoryIdentity(directory);
	}

	/** Counter for the records of one topic. Not thread-safe. */
	final class Counter {

		private final ByteBuffer buffer;

		/**
		 * Creates a counter.
		 * @param buffer 16 bytes that hold the counter's state
		 */
		public Counter(ByteBuffer buffer) {
			this.buffer = buffer;
		}

		/**
		 * Creates a counter that starts at 0 and is not saved.
		 * @return a new counter
		 */
		public static Counter inMemory() {
			return new Counter(ByteBuffer.allocate(2 * Long.BYTES));
		}

		/**
		 * Returns the sequence number of the next record.
		 * @return the next number, from 0
		 */
		public long next() {
			return this.buffer.getLong(0);
		}

		/**
		 * Returns the sequence number after the last acknowledged record. If it exceeds
		 * {@link #next()}, acknowledged records are sent again.
		 * @return the number, 0 before the first acknowledgment
		 */
		public long acknowledged() {
			return this.buffer.getLong(Long.BYTES);
		}

		/**
		 * Sets the sequence number of the next record.
		 * @param next the number, from 0
		 */
		public void setNext(long next) {
			this.buffer.putLong(0, next);
		}

		/**
		 * Sets the sequence number after the last acknowledged record.
		 * @param acknowledged the number, from 0
		 */
		public void setAcknowledged(long acknowledged) {
			this.buffer.putLong(Long.BYTES, acknowledged);
		}

	}

}

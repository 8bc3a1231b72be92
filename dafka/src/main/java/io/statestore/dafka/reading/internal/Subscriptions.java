package io.statestore.dafka.reading.internal;

import java.util.function.Predicate;
import java.util.Set;
import java.util.HashSet;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

import io.statestore.dafka.Bytes;

/**
 * Creates and recognizes the subscriptions of nodes: a command ID, in most cases followed
 * by a name. ZeroMQ matches prefixes (RFC 29), so a topic also matches longer topics.
 * Receivers therefore compare the subject. Internal: not part of the API.
 */
public final class Subscriptions {

	private Subscriptions() {
	}

	/**
	 * Returns the subscriptions of a producer.
	 * @param address producer's address
	 * @return the prefixes to subscribe to
	 */
	public static List<byte[]> producer(Bytes address) {
		return List.of(prefix(Codec.ACK, address), prefix(Codec.FETCH, address));
	}

	/**
	 * Returns the subscriptions of a consumer, except those to its topics.
	 * @param address consumer's address
	 * @return the prefixes to subscribe to
	 */
	public static List<byte[]> consumer(Bytes address) {
		return List.of(prefix(Codec.DIRECT_RECORD, address), prefix(Codec.DIRECT_HEAD, address),
				prefix(Codec.STORE_HELLO, address), prefix(Codec.END_OF_HEADS, address));
	}

	/**
	 * Returns a consumer's subscriptions to a topic.
	 * @param topic topic in wire form
	 * @return the prefixes to subscribe to
	 */
	public static List<byte[]> topic(Bytes topic) {
		return List.of(prefix(Codec.RECORD, topic), prefix(Codec.HEAD, topic));
	}

	/**
	 * Returns the subscriptions of a store.
	 * @param address store's address
	 * @return the prefixes to subscribe to
	 */
	public static List<byte[]> store(Bytes address) {
		return List.of(prefix(Codec.RECORD, Bytes.EMPTY), prefix(Codec.HEAD, Bytes.EMPTY),
				prefix(Codec.DIRECT_RECORD, address), prefix(Codec.DIRECT_HEAD, address),
				prefix(Codec.FETCH, Bytes.EMPTY), prefix(Codec.GET_HEADS, Bytes.EMPTY),
				prefix(Codec.CONSUMER_HELLO, address), prefix(Codec.END_OF_HEADS, address));
	}

	/**
	 * Returns whether a prefix subscribes to requests for heads, which stores receive.
	 * @param prefix prefix from a peer
	 * @return {@code true} if the subscriber is a store
	 */
	public static boolean isGetHeads(byte[] prefix) {
		return prefix.length == 1 && prefix[0] == Codec.GET_HEADS;
	}

	/**
	 * Returns whether a prefix subscribes to the heads of producers.
	 * @param prefix prefix from a peer
	 * @return {@code true} if the subscriber is a consumer or store
	 */
	public static boolean isHeads(byte[] prefix) {
		return prefix.length > 0 && prefix[0] == Codec.HEAD;
	}

	/**
	 * Returns whether a prefix subscribes to consumer hellos, which each store receives.
	 * @param prefix prefix from a peer
	 * @return {@code true} if the subscriber is a store
	 */
	public static boolean isStore(byte[] prefix) {
		return prefix.length > 1 && prefix[0] == Codec.CONSUMER_HELLO;
	}

	/**
	 * Returns whether a prefix subscribes to store hellos, which each consumer receives.
	 * @param prefix prefix from a peer
	 * @return {@code true} if the subscriber is a consumer
	 */
	public static boolean isConsumer(byte[] prefix) {
		return prefix.length > 1 && prefix[0] == Codec.STORE_HELLO;
	}

	/**
	 * Returns whether a prefix subscribes to {@link Command.EndOfHeads}. Consumers
	 * receive this command. Stores subscribe to it to announce that they send it.
	 * @param prefix prefix from a peer
	 * @return {@code true} if the subscriber is a consumer or store
	 */
	public static boolean isEndOfHeads(byte[] prefix) {
		return prefix.length > 1 && prefix[0] == Codec.END_OF_HEADS;
	}

	/**
	 * Returns whether a prefix subscribes to the records that a node requests.
	 * @param prefix prefix from a peer
	 * @return {@code true} for requested records
	 */
	public static boolean isDirectRecords(byte[] prefix) {
		return prefix.length > 1 && prefix[0] == Codec.DIRECT_RECORD;
	}

	/**
	 * Returns whether a prefix subscribes to the heads that a node requests.
	 * @param prefix prefix from a peer
	 * @return {@code true} for requested heads
	 */
	public static boolean isDirectHeads(byte[] prefix) {
		return prefix.length > 1 && prefix[0] == Codec.DIRECT_HEAD;
	}

	/**
	 * Returns the name in a subscription.
	 * @param prefix prefix from a peer
	 * @return the bytes after the command ID
	 */
	public static Bytes name(byte[] prefix) {
		return Bytes.wrap(Arrays.copyOfRange(prefix, 1, prefix.length));
	}

	private static byte[] prefix(byte id, Bytes name) {
		return ByteBuffer.allocate(1 + name.size()).put(id).put(name.unwrap()).array();
	}

	/**
	 * Tracks the connected nodes that subscribe to answers to their requests. Other nodes
	 * would not receive answers. Not thread-safe. Internal: not part of the API.
	 */
	public static final class Subscribers {

		private static final int MAX = 10_000;

		private final Predicate<byte[]> kind;

		private final Set<Bytes> names = new HashSet<>();

		/**
		 * Whether there were too many names. If so, {@link #contains} returns
		 * {@code true} for every name.
		 */
		private boolean overflowed;

		/**
		 * Creates an empty set.
		 * @param kind accepts the prefixes that subscribe to answers
		 */
		public Subscribers(Predicate<byte[]> kind) {
			this.kind = kind;
		}

		/**
		 * Adds the subscriber if it subscribes to answers.
		 * @param prefix prefix from a peer
		 */
		public void subscribed(byte[] prefix) {
			if (this.kind.test(prefix)) {
				this.overflowed = this.overflowed || this.names.size() >= MAX;
				if (!this.overflowed) {
					this.names.add(name(prefix));
				}
			}
		}

		/**
		 * Removes the subscriber if it was subscribed to answers.
		 * @param prefix prefix whose subscription ended
		 */
		public void unsubscribed(byte[] prefix) {
			if (this.kind.test(prefix)) {
				this.names.remove(name(prefix));
			}
		}

		/**
		 * Returns whether no node is subscribed to answers.
		 * @return whether this set is empty
		 */
		public boolean isEmpty() {
			return this.names.isEmpty() && !this.overflowed;
		}

		/**
		 * Returns whether a node is subscribed to answers.
		 * @param name node's address
		 * @return whether it is subscribed; {@code true} if that is unknown
		 */
		public boolean contains(Bytes name) {
			return this.overflowed || this.names.contains(name);
		}

	}

}

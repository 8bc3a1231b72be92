package io.statestore.dafka.reading.internal;

import java.util.function.Predicate;
import java.util.Set;
import java.util.HashSet;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

import io.statestore.dafka.Bytes;

/**
 * Subscriptions of nodes: the id of a command and, for most, a name. ZeroMQ matches
 * prefixes (RFC 29), so a topic also matches longer topics. Receivers therefore compare
 * the subject. Internal: not part of the API.
 */
public final class Subscriptions {

	private Subscriptions() {
	}

	/**
	 * Returns the subscriptions of a producer.
	 * @param address address of the producer
	 * @return the prefixes
	 */
	public static List<byte[]> producer(Bytes address) {
		return List.of(prefix(Codec.ACK, address), prefix(Codec.FETCH, address));
	}

	/**
	 * Returns the subscriptions of a consumer, except for its topics.
	 * @param address address of the consumer
	 * @return the prefixes
	 */
	public static List<byte[]> consumer(Bytes address) {
		return List.of(prefix(Codec.DIRECT_RECORD, address), prefix(Codec.DIRECT_HEAD, address),
				prefix(Codec.STORE_HELLO, address), prefix(Codec.END_OF_HEADS, address));
	}

	/**
	 * Returns the subscriptions of a consumer to a topic.
	 * @param topic the topic
	 * @return the prefixes
	 */
	public static List<byte[]> topic(Bytes topic) {
		return List.of(prefix(Codec.RECORD, topic), prefix(Codec.HEAD, topic));
	}

	/**
	 * Returns the subscriptions of a store.
	 * @param address address of the store
	 * @return the prefixes
	 */
	public static List<byte[]> store(Bytes address) {
		return List.of(prefix(Codec.RECORD, Bytes.EMPTY), prefix(Codec.HEAD, Bytes.EMPTY),
				prefix(Codec.DIRECT_RECORD, address), prefix(Codec.DIRECT_HEAD, address),
				prefix(Codec.FETCH, Bytes.EMPTY), prefix(Codec.GET_HEADS, Bytes.EMPTY),
				prefix(Codec.CONSUMER_HELLO, address), prefix(Codec.END_OF_HEADS, address));
	}

	/**
	 * Returns whether a subscription is to requests for heads, which stores receive.
	 * @param prefix the subscription
	 * @return whether a store subscribes
	 */
	public static boolean isGetHeads(byte[] prefix) {
		return prefix.length == 1 && prefix[0] == Codec.GET_HEADS;
	}

	/**
	 * Returns whether a subscription is to the heads of producers.
	 * @param prefix the subscription
	 * @return whether a consumer or store subscribes
	 */
	public static boolean isHeads(byte[] prefix) {
		return prefix.length > 0 && prefix[0] == Codec.HEAD;
	}

	/**
	 * Returns whether a subscription is to hellos of consumers, which each store
	 * receives.
	 * @param prefix the subscription
	 * @return whether a store subscribes
	 */
	public static boolean isStore(byte[] prefix) {
		return prefix.length > 1 && prefix[0] == Codec.CONSUMER_HELLO;
	}

	/**
	 * Returns whether a subscription is to hellos of stores, which each consumer
	 * receives.
	 * @param prefix the subscription
	 * @return whether a consumer subscribes
	 */
	public static boolean isConsumer(byte[] prefix) {
		return prefix.length > 1 && prefix[0] == Codec.STORE_HELLO;
	}

	/**
	 * Returns whether a subscription is to the ends of heads. A consumer receives them. A
	 * store subscribes to announce that it sends them.
	 * @param prefix the subscription
	 * @return whether a consumer or store subscribes
	 */
	public static boolean isEndOfHeads(byte[] prefix) {
		return prefix.length > 1 && prefix[0] == Codec.END_OF_HEADS;
	}

	/**
	 * Returns whether a subscription is to the records that a node requests.
	 * @param prefix the subscription
	 * @return whether it is to requested records
	 */
	public static boolean isDirectRecords(byte[] prefix) {
		return prefix.length > 1 && prefix[0] == Codec.DIRECT_RECORD;
	}

	/**
	 * Returns whether a subscription is to the heads that a node requests.
	 * @param prefix the subscription
	 * @return whether it is to requested heads
	 */
	public static boolean isDirectHeads(byte[] prefix) {
		return prefix.length > 1 && prefix[0] == Codec.DIRECT_HEAD;
	}

	/**
	 * Returns the name in a subscription.
	 * @param prefix the subscription
	 * @return the bytes after the id
	 */
	public static Bytes name(byte[] prefix) {
		return Bytes.wrap(Arrays.copyOfRange(prefix, 1, prefix.length));
	}

	private static byte[] prefix(byte id, Bytes name) {
		return ByteBuffer.allocate(1 + name.size()).put(id).put(name.unwrap()).array();
	}

	/**
	 * Connected nodes that subscribe to the answers to their requests. Other nodes would
	 * not receive an answer. Not thread-safe. Internal: not part of the API.
	 */
	public static final class Subscribers {

		private static final int MAX = 10_000;

		private final Predicate<byte[]> kind;

		private final Set<Bytes> names = new HashSet<>();

		/** Whether there were too many names. In this case, every name is contained. */
		private boolean overflowed;

		/**
		 * Creates an empty set.
		 * @param kind accepts subscriptions to answers
		 */
		public Subscribers(Predicate<byte[]> kind) {
			this.kind = kind;
		}

		/**
		 * Adds the subscriber if it subscribes to answers.
		 * @param prefix the subscription
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
		 * @param prefix the subscription that ended
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
		 * @param name the address of the node
		 * @return whether it is subscribed; {@code true} if that is unknown
		 */
		public boolean contains(Bytes name) {
			return this.overflowed || this.names.contains(name);
		}

	}

}

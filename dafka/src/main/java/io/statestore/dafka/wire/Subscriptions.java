package io.statestore.dafka.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

import io.statestore.dafka.Bytes;

/**
 * Subscriptions of nodes: an id and, for most, a name. Subscriptions are prefixes, so a
 * topic also matches longer topics; receivers compare the subject.
 */
public final class Subscriptions {

	private Subscriptions() {
	}

	/** Of a producer. */
	public static List<byte[]> producer(Bytes address) {
		return List.of(prefix(Ids.ACK, address), prefix(Ids.FETCH, address));
	}

	/** Of a consumer, besides its topics. */
	public static List<byte[]> consumer(Bytes address) {
		return List.of(prefix(Ids.DIRECT_RECORD, address), prefix(Ids.DIRECT_HEAD, address),
				prefix(Ids.STORE_HELLO, address), prefix(Ids.END_OF_HEADS, address));
	}

	/** Of a consumer of a topic. */
	public static List<byte[]> topic(Bytes topic) {
		return List.of(prefix(Ids.RECORD, topic), prefix(Ids.HEAD, topic));
	}

	/** Of a store. */
	public static List<byte[]> store(Bytes address) {
		return List.of(prefix(Ids.RECORD, Bytes.EMPTY), prefix(Ids.HEAD, Bytes.EMPTY),
				prefix(Ids.DIRECT_RECORD, address), prefix(Ids.DIRECT_HEAD, address), prefix(Ids.FETCH, Bytes.EMPTY),
				prefix(Ids.GET_HEADS, Bytes.EMPTY), prefix(Ids.CONSUMER_HELLO, address),
				prefix(Ids.END_OF_HEADS, address));
	}

	/** Whether a subscription is that of a store to requests for heads. */
	public static boolean isGetHeads(byte[] prefix) {
		return prefix.length == 1 && prefix[0] == Ids.GET_HEADS;
	}

	/** Whether a subscription is to heads of producers. */
	public static boolean isHeads(byte[] prefix) {
		return prefix.length > 0 && prefix[0] == Ids.HEAD;
	}

	/** Whether a subscription is that of a store to its hellos. */
	public static boolean isStore(byte[] prefix) {
		return prefix.length > 1 && prefix[0] == Ids.CONSUMER_HELLO;
	}

	/** Whether a subscription is that of a consumer to its hellos. */
	public static boolean isConsumer(byte[] prefix) {
		return prefix.length > 1 && prefix[0] == Ids.STORE_HELLO;
	}

	/**
	 * Returns whether a subscription is to ends of heads: that of a consumer, or of a
	 * store, which says by it that it sends them.
	 */
	public static boolean isEndOfHeads(byte[] prefix) {
		return prefix.length > 1 && prefix[0] == Ids.END_OF_HEADS;
	}

	/** Returns whether a subscription is to the records that its node fetches. */
	public static boolean isDirectRecords(byte[] prefix) {
		return prefix.length > 1 && prefix[0] == Ids.DIRECT_RECORD;
	}

	/** Returns whether a subscription is to the heads that its node requests. */
	public static boolean isDirectHeads(byte[] prefix) {
		return prefix.length > 1 && prefix[0] == Ids.DIRECT_HEAD;
	}

	/** The name behind the id. */
	public static Bytes name(byte[] prefix) {
		return Bytes.wrap(Arrays.copyOfRange(prefix, 1, prefix.length));
	}

	private static byte[] prefix(byte id, Bytes name) {
		return ByteBuffer.allocate(1 + name.size()).put(id).put(name.unwrap()).array();
	}

}

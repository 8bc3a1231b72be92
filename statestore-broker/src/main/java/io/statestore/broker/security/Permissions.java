package io.statestore.broker.security;

import java.util.function.LongConsumer;

import io.statestore.protocol.Bytes;

/**
 * One client's permissions. The methods are called for each request and message, on
 * network threads. The methods must be thread-safe, must not block, and must reflect the
 * rules at the time of the call. If a check throws an exception or an error other than
 * {@link OutOfMemoryError}, the request or message is denied.
 */
public interface Permissions {

	/** Permits everything. */
	Permissions ALL = new Permissions() {

		@Override
		public boolean mayRead(Bytes key) {
			return true;
		}

		@Override
		public boolean mayWrite(Bytes key) {
			return true;
		}

		@Override
		public boolean maySubscribe(String filter) {
			return true;
		}

		@Override
		public boolean mayPublish(String topic) {
			return true;
		}

		@Override
		public boolean mayAdminister() {
			return true;
		}

		@Override
		public String toString() {
			return "Permissions.ALL";
		}

	};

	/**
	 * Returns whether the client may read a key with GET, KEYNOTIFY, and SCAN.
	 * @param key the key in the request
	 * @return whether reading is permitted
	 */
	boolean mayRead(Bytes key);

	/**
	 * Returns whether the client may read a key that a SCAN has found. The decision must
	 * be the same as that of {@link #mayRead(Bytes)}, which is called by default.
	 * @param key the key that the SCAN has found
	 * @param steps receives the duration of the decision, if that depends on the number
	 * of rules, in steps of about three nanoseconds. A SCAN page ends after 300,000
	 * steps, so that other clients do not wait
	 * @return whether reading is permitted
	 */
	default boolean mayRead(Bytes key, LongConsumer steps) {
		return mayRead(key);
	}

	/**
	 * Returns whether the client may write a key. An INCRBY also requires
	 * {@link #mayRead(Bytes)}, because its reply is the value.
	 * @param key the key in the request
	 * @return whether writing is permitted
	 */
	boolean mayWrite(Bytes key);

	/**
	 * Returns whether the client may receive all messages that match a topic filter.
	 * Called for subscription filters, and again with each message's topic before
	 * delivery.
	 * @param filter a topic filter, without {@code $share/{name}/}, or a topic
	 * @return whether subscribing is permitted
	 */
	boolean maySubscribe(String filter);

	/**
	 * Returns whether the client may publish ordinary messages on a topic, including its
	 * will.
	 * @param topic the message's topic
	 * @return whether publishing is permitted
	 */
	boolean mayPublish(String topic);

	/**
	 * Returns whether the client may send administration requests, such as a request for
	 * all locks.
	 * @return whether administration is permitted
	 */
	boolean mayAdminister();

	/**
	 * Returns whether the client may connect with its client id. Called once per
	 * connection. By default, every client may.
	 * @return whether connecting is permitted
	 */
	default boolean mayConnect() {
		return true;
	}

}

package io.statestore.broker.security;

import io.statestore.protocol.Bytes;

/**
 * What one client may do. The methods are called for each request and message, on network
 * threads: they must not block, must be thread-safe, and must reflect the rules at the
 * time of the call.
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
	 * Returns whether the client may read a key: with GET, KEYNOTIFY, and SCAN.
	 * @param key the key
	 * @return whether it is permitted
	 */
	boolean mayRead(Bytes key);

	/**
	 * Returns whether the client may write a key: with SET, DEL, and VDEL.
	 * @param key the key
	 * @return whether it is permitted
	 */
	boolean mayWrite(Bytes key);

	/**
	 * Returns whether the client may receive all messages that match a topic filter.
	 * Called for the filters of subscriptions, and again with the topic of each message
	 * before its delivery.
	 * @param filter a topic filter, without {@code $share/{name}/}, or a topic
	 * @return whether it is permitted
	 */
	boolean maySubscribe(String filter);

	/**
	 * Returns whether the client may publish ordinary messages on a topic, including its
	 * will.
	 * @param topic the topic
	 * @return whether it is permitted
	 */
	boolean mayPublish(String topic);

	/**
	 * Returns whether the client may send administration requests, such as a request for
	 * all locks.
	 * @return whether it is permitted
	 */
	boolean mayAdminister();

}

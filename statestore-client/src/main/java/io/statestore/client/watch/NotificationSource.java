package io.statestore.client.watch;

import io.statestore.client.KeyChange;
import io.statestore.client.StateStoreException;
import io.statestore.protocol.Bytes;

/**
 * Source of the notifications that arrive over a connection. Thread-safe.
 */
interface NotificationSource {

	/**
	 * Starts receiving notifications. Called once, before the first key is watched.
	 * @param handler receives the connection's events
	 */
	void open(Handler handler);

	/**
	 * Stops calling the handler. Can be called at any time, and repeatedly.
	 */
	void close();

	/**
	 * Returns whether the key fits in its notifications' topic name.
	 * @param key the key
	 * @return {@code true} if the key can be watched
	 */
	boolean isWatchable(Bytes key);

	/**
	 * Returns whether there is a connection over which keys can be watched.
	 * @return {@code true} if connected
	 */
	default boolean isConnected() {
		return true;
	}

	/** Receives a connection's events. Implementations never block. */
	interface Handler {

		/**
		 * Handles a new connection over which notifications can arrive. The connection
		 * does not have watches yet. Called again for each later connection.
		 */
		void connected();

		/** Handles a loss of the connection, which ends its watches. */
		void disconnected();

		/**
		 * Handles a refusal of notifications on the current connection.
		 * @param reason why the broker refused them
		 */
		void refused(StateStoreException reason);

		/**
		 * Handles a change of a key. Changes are passed in order of arrival.
		 * @param change the change, not resynchronized
		 */
		void changed(KeyChange<Bytes> change);

		/**
		 * Handles a notification that could not be decoded.
		 * @param key the key that has changed
		 */
		void unreadable(Bytes key);

	}

}

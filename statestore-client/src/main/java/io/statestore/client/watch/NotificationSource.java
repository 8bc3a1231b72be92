package io.statestore.client.watch;

import io.statestore.client.KeyChange;
import io.statestore.client.StateStoreException;
import io.statestore.protocol.Bytes;

/** Source of the notifications of one connection. Safe for use by several threads. */
interface NotificationSource {

	/**
	 * Begins to receive notifications. Called once, before the first key is watched.
	 * @param handler receives the events of the connection
	 */
	void open(Handler handler);

	/**
	 * Stops calling the handler. Can be called at any time, and repeatedly.
	 */
	void close();

	/**
	 * Returns whether the name of the key fits into the topic of its notifications.
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

	/** Receiver of the events of a connection. Never blocks. */
	interface Handler {

		/**
		 * Handles a new connection on which notifications can arrive. It has no watches
		 * yet. Called again for each later connection.
		 */
		void connected();

		/** Handles the loss of the connection, which ends its watches. */
		void disconnected();

		/**
		 * Handles the refusal of notifications on the present connection.
		 * @param reason reason of the refusal
		 */
		void refused(StateStoreException reason);

		/**
		 * Handles a change of a key. Changes are passed in the order of their arrival.
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

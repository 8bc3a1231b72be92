package io.statestore.client.observation;

import io.statestore.client.KeyChange;
import io.statestore.client.StateStoreException;
import io.statestore.protocol.Bytes;

/** Where notifications come from: a connection. */
public interface NotificationSource {

	/** Begins to receive. Called once, before the first key is observed. */
	void open(Handler handler);

	/** Ends all calls of the handler. May be called at any time, and repeatedly. */
	void close();

	/** Returns whether the notifications of a key fit into a topic. */
	boolean isObservable(Bytes key);

	/** Returns whether there is a connection, over which keys can be observed. */
	default boolean isConnected() {
		return true;
	}

	/** Receives the events of the connection. Never blocks. */
	interface Handler {

		/**
		 * There is a connection on which notifications can arrive, and nothing is
		 * observed on it yet. Called again where one connection follows another.
		 */
		void connected();

		/** The connection is gone, and all observations with it. */
		void disconnected();

		/** Notifications cannot arrive on the present connection. */
		void refused(StateStoreException reason);

		/** A key has changed. Changes come in the order in which they arrived. */
		void changed(KeyChange<Bytes> change);

		/** A notification of this key could not be understood. */
		void unreadable(Bytes key);

	}

}

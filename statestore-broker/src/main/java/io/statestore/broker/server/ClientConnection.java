package io.statestore.broker.server;

import io.statestore.broker.memory.ClientShare;
import io.statestore.protocol.Bytes;

/**
 * One connection of one client, as the server sees it. A client that reconnects has a new
 * one, also where its MQTT session goes on. Compared by identity.
 * <p>
 * Implemented by a transport; every method may be called from any thread, does not block,
 * and does nothing once the connection has ended.
 */
public interface ClientConnection {

	/** The MQTT client id. */
	String clientId();

	/** Returns the memory that this client holds. */
	ClientShare memory();

	/**
	 * Send a message to this client at QoS 1. Messages leave in the order of the calls.
	 * @param message what to send
	 */
	void send(OutgoingMessage message);

	/**
	 * Called when an observation of this client has begun. Messages that depend on it,
	 * such as the reply to KEYNOTIFY, are sent afterwards.
	 * @param key the observed key
	 */
	default void observing(Bytes key) {
	}

	/**
	 * Called when an observation of this client has ended before its connection, or was
	 * not resumed.
	 * @param key the key
	 */
	default void observationEnded(Bytes key) {
	}

	/**
	 * End the connection with an MQTT DISCONNECT packet.
	 * @param reasonCode an MQTT 5 reason code of 0x80 or above
	 * @param reason what happened, for the log and the client
	 */
	void disconnect(int reasonCode, String reason);

}

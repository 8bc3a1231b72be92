package io.statestore.broker.server;

import io.statestore.broker.memory.ClientShare;

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
	 * End the connection with an MQTT DISCONNECT packet.
	 * @param reasonCode an MQTT 5 reason code of 0x80 or above
	 * @param reason what happened, for the log and the client
	 */
	void disconnect(int reasonCode, String reason);

}

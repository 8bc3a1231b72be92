package io.statestore.broker.server;

import java.net.InetAddress;

import io.statestore.broker.engine.Requester;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.Permissions;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a client, as seen by the server. After a reconnect a client has a new
 * connection, even if its MQTT session continues. Connections are compared by identity.
 * <p>
 * Implemented by a transport. Every method may be called from any thread, does not block,
 * and has no effect once the connection has ended.
 */
public interface ClientConnection {

	/**
	 * Returns the MQTT client id.
	 * @return the client id
	 */
	String clientId();

	/**
	 * Returns the authenticated identity of the client. It does not change.
	 * @return the principal. By default {@link ClientPrincipal#ANONYMOUS}
	 */
	default ClientPrincipal principal() {
		return ClientPrincipal.ANONYMOUS;
	}

	/**
	 * Returns the client as the command log and the engine know it.
	 * @return client id and principal
	 */
	default Requester requester() {
		ClientPrincipal principal = principal();
		return new Requester(principal.isAnonymous() ? null : principal.name(), clientId());
	}

	/**
	 * Returns what the client may do.
	 * @return the permissions. By default {@link Permissions#ALL}
	 */
	default Permissions permissions() {
		return Permissions.ALL;
	}

	/**
	 * Returns the network address of the client, for the audit log.
	 * @return the address, or {@code null} if it is not known. The default
	 */
	default @Nullable InetAddress address() {
		return null;
	}

	/**
	 * Returns the memory that this client holds.
	 * @return the share of the client
	 */
	ClientShare memory();

	/**
	 * Sends a message to this client with QoS 1. Messages leave in the order of the
	 * calls.
	 * @param message the message
	 */
	void send(OutgoingMessage message);

	/**
	 * Called when this client starts or resumes watching a key. Messages that depend on
	 * it, such as the reply to KEYNOTIFY, are sent afterward.
	 * @param key the watched key
	 */
	default void watching(Bytes key) {
	}

	/**
	 * Called when a watch of this client has ended before its connection, or was not
	 * resumed.
	 * @param key the key
	 */
	default void watchEnded(Bytes key) {
	}

	/**
	 * Ends the connection with an MQTT DISCONNECT packet.
	 * @param reasonCode an MQTT 5 reason code of 0x80 or above
	 * @param reason the reason, for the log and the client
	 */
	void disconnect(int reasonCode, String reason);

	/**
	 * Ends the connection without an MQTT DISCONNECT packet, as a network failure does.
	 * By default, the same as {@link #disconnect}.
	 */
	default void abort() {
		disconnect(ReasonCodes.UNSPECIFIED, "the connection is aborted");
	}

}

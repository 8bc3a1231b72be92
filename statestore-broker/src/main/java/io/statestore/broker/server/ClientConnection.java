package io.statestore.broker.server;

import java.net.InetAddress;

import io.statestore.broker.engine.Requester;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.Permissions;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection, as seen by the server. After reconnecting, a client has a new
 * connection, even if its MQTT session continues. Connections are compared by identity.
 * <p>
 * Implemented by a transport. Every method may be called from any thread, does not block,
 * and has no effect once the connection has ended.
 */
public interface ClientConnection {

	/**
	 * Returns the MQTT client id.
	 * @return the client id, which does not change
	 */
	String clientId();

	/**
	 * Returns the client's authenticated identity. It does not change.
	 * @return the principal, {@link ClientPrincipal#ANONYMOUS} by default
	 */
	default ClientPrincipal principal() {
		return ClientPrincipal.ANONYMOUS;
	}

	/**
	 * Returns the client's identity in the command log and the engine.
	 * @return client id and principal
	 */
	default Requester requester() {
		ClientPrincipal principal = principal();
		return new Requester(principal.isAnonymous() ? null : principal.name(), clientId());
	}

	/**
	 * Returns the client's permissions.
	 * @return the permissions, {@link Permissions#ALL} by default
	 */
	default Permissions permissions() {
		return Permissions.ALL;
	}

	/**
	 * Returns the client's network address, for the audit log.
	 * @return the address, or {@code null} if it is unknown, which is the default
	 */
	default @Nullable InetAddress address() {
		return null;
	}

	/**
	 * Returns the memory that this client holds.
	 * @return the client's memory share
	 */
	ClientShare memory();

	/**
	 * Sends a message to this client with QoS 1. Messages are sent in call order.
	 * @param message the reply or notification
	 */
	void send(OutgoingMessage message);

	/**
	 * Called when this client starts or resumes watching a key. Messages that depend on
	 * the watch, such as the reply to KEYNOTIFY, are sent afterward.
	 * @param key the watched key
	 */
	default void watching(Bytes key) {
	}

	/**
	 * Called when one of this client's watches has ended before its connection, or was
	 * not resumed.
	 * @param key the key that is no longer watched
	 */
	default void watchEnded(Bytes key) {
	}

	/**
	 * Ends the connection with an MQTT DISCONNECT packet.
	 * @param reasonCode an MQTT 5 reason code of 0x80 or above
	 * @param reason why the connection ends, for the log and the client
	 */
	void disconnect(int reasonCode, String reason);

	/**
	 * Ends the connection without an MQTT DISCONNECT packet, like a network failure. By
	 * default, the same as {@link #disconnect}.
	 */
	default void abort() {
		disconnect(ReasonCodes.UNSPECIFIED, "the connection is aborted");
	}

}

package io.statestore.client;

import io.statestore.protocol.ErrorReason;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the state store's rules do not permit a command. The store was not changed.
 * Retries fail until the server's rules change, and then succeed without a reconnect.
 */
public class StateStoreNotAuthorizedException extends StateStoreRefusedException {

	private static final long serialVersionUID = 1L;

	private final transient @Nullable Key key;

	/**
	 * Creates an exception.
	 * @param message description of the refused command, and how to respond
	 * @param key the command's key, {@code null} if it has none
	 */
	public StateStoreNotAuthorizedException(String message, @Nullable Key key) {
		super(ErrorReason.NOT_AUTHORIZED, message);
		this.key = key;
	}

	/**
	 * Returns an exception that names the command and its key.
	 * @param verb name of the command, such as {@code SET}
	 * @param key the command's key, {@code null} if it has none
	 * @param advice how to respond
	 * @return the exception
	 */
	public static StateStoreNotAuthorizedException of(String verb, @Nullable Key key, String advice) {
		return new StateStoreNotAuthorizedException(
				"The state store refused " + verb + ((key != null) ? " of key " + key.quoted() : "") + ": "
						+ ErrorReason.NOT_AUTHORIZED.text() + ". " + advice,
				key);
	}

	/**
	 * Returns the refused command's key, including the application's key prefix.
	 * @return the key, {@code null} if the command has none
	 */
	public @Nullable Key key() {
		return this.key;
	}

}

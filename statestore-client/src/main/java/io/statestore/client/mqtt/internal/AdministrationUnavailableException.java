package io.statestore.client.mqtt.internal;

import io.statestore.client.StateStoreException;

/**
 * Thrown when no server answers an administration request, because the server is not one
 * of this project, or is a gateway whose administration is off.
 */
public final class AdministrationUnavailableException extends StateStoreException {

	private static final long serialVersionUID = 1L;

	AdministrationUnavailableException(String message) {
		super(message);
	}

}

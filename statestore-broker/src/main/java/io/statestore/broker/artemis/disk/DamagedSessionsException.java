package io.statestore.broker.artemis.disk;

import java.nio.file.Path;

/**
 * Thrown when a file of the MQTT sessions is damaged, so that the broker cannot start.
 */
final class DamagedSessionsException extends IllegalStateException {

	private static final long serialVersionUID = 1;

	/**
	 * Creates an exception.
	 * @param file the damaged file
	 * @param damage the damage and its position
	 */
	DamagedSessionsException(Path file, String damage) {
		super("The file of the MQTT sessions is damaged: " + file + ' ' + damage + ". Delete the folder "
				+ file.toAbsolutePath().getParent()
				+ ". The store then keeps its keys, but MQTT sessions and retained messages are lost");
	}

}

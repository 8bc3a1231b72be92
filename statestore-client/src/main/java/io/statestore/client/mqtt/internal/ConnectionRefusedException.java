package io.statestore.client.mqtt.internal;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the broker refuses a connection with an MQTT reason code.
 */
final class ConnectionRefusedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final int reasonCode;

	private final @Nullable String serverReference;

	/**
	 * Creates an exception.
	 * @param reasonCode an MQTT 5 {@link ReasonCode}
	 */
	public ConnectionRefusedException(int reasonCode) {
		this(reasonCode, null);
	}

	/**
	 * Creates an exception.
	 * @param reasonCode an MQTT 5 {@link ReasonCode}
	 * @param serverReference Server Reference of the broker (MQTT 5 section 4.11), or
	 * {@code null} if there is none
	 */
	public ConnectionRefusedException(int reasonCode, @Nullable String serverReference) {
		super("the broker refused the connection: " + ReasonCode.describe(reasonCode));
		this.reasonCode = reasonCode;
		this.serverReference = serverReference;
	}

	/**
	 * Returns the reason code of the broker.
	 * @return an MQTT 5 {@link ReasonCode}
	 */
	public int reasonCode() {
		return this.reasonCode;
	}

	/**
	 * Returns the Server Reference of the broker.
	 * @return text that the broker has chosen, or {@code null} if there is none
	 */
	public @Nullable String serverReference() {
		return this.serverReference;
	}

}

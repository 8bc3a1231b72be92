package io.statestore.client.mqtt.link;

/**
 * Thrown when the broker refuses a connection with an MQTT reason code.
 * <p>
 * Internal: not part of the API.
 */
public final class ConnectionRefusedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final int reasonCode;

	/**
	 * Creates an exception.
	 * @param reasonCode an MQTT 5 {@link ReasonCode}
	 */
	public ConnectionRefusedException(int reasonCode) {
		super("the broker refused the connection: " + ReasonCode.describe(reasonCode));
		this.reasonCode = reasonCode;
	}

	/**
	 * Returns the reason code of the broker.
	 * @return an MQTT 5 {@link ReasonCode}
	 */
	public int reasonCode() {
		return this.reasonCode;
	}

}

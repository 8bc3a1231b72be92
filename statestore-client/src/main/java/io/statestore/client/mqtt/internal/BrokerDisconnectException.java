package io.statestore.client.mqtt.internal;

import org.jspecify.annotations.Nullable;

/**
 * Cause of the end of a connection to which the broker has sent DISCONNECT.
 */
final class BrokerDisconnectException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final int reasonCode;

	private final @Nullable String serverReference;

	/**
	 * Creates an exception.
	 * @param reasonCode an MQTT 5 {@link ReasonCode}
	 * @param reason Reason String of the broker, or {@code null} if there is none
	 * @param serverReference Server Reference of the broker (MQTT 5 section 4.11), or
	 * {@code null} if there is none
	 */
	public BrokerDisconnectException(int reasonCode, @Nullable String reason, @Nullable String serverReference) {
		super("the broker disconnected: " + ReasonCode.describe(reasonCode) + ((reason != null) ? ", " + reason : ""));
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

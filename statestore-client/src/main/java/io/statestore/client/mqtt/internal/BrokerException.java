package io.statestore.client.mqtt.internal;

import org.jspecify.annotations.Nullable;

/** Refusal of a connection, or its end by the broker, with an MQTT reason code. */
final class BrokerException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final boolean refused;

	private final int reasonCode;

	private final @Nullable String serverReference;

	private BrokerException(boolean refused, int reasonCode, @Nullable String serverReference, String message) {
		super(message);
		this.refused = refused;
		this.reasonCode = reasonCode;
		this.serverReference = serverReference;
	}

	/**
	 * Returns the failure of a connection that the broker refused in its CONNACK.
	 * @param serverReference Server Reference of the broker (MQTT 5 section 4.11), or
	 * {@code null} if there is none
	 */
	static BrokerException refused(int reasonCode, @Nullable String serverReference) {
		return new BrokerException(true, reasonCode, serverReference,
				"the broker refused the connection: " + ReasonCode.describe(reasonCode));
	}

	/**
	 * Returns the failure of a connection that the broker ended with DISCONNECT.
	 * @param reason Reason String of the broker, or {@code null} if there is none
	 * @param serverReference Server Reference of the broker, or {@code null} if there is
	 * none
	 */
	static BrokerException disconnected(int reasonCode, @Nullable String reason, @Nullable String serverReference) {
		return new BrokerException(false, reasonCode, serverReference, "the broker disconnected: "
				+ ReasonCode.describe(reasonCode) + ((reason != null) ? ", " + reason : ""));
	}

	/** Returns whether the broker refused the connection instead of ending it later. */
	boolean isRefused() {
		return this.refused;
	}

	/** Returns the {@link ReasonCode} of the broker. */
	int reasonCode() {
		return this.reasonCode;
	}

	/**
	 * Returns the Server Reference of a broker that wants the client to use another
	 * server, or {@code null} if there is none. The broker has chosen the text.
	 */
	@Nullable String serverReference() {
		boolean redirected = this.reasonCode == ReasonCode.USE_ANOTHER_SERVER
				|| this.reasonCode == ReasonCode.SERVER_MOVED;
		return redirected ? this.serverReference : null;
	}

}

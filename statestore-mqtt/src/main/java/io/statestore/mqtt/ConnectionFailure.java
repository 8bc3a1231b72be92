package io.statestore.mqtt;

import java.io.IOException;

import io.netty.handler.codec.mqtt.MqttProperties;
import org.jspecify.annotations.Nullable;

/** End of a connection that is neither a failure of the network nor one of TLS. */
public final class ConnectionFailure extends IOException {

	private static final long serialVersionUID = 1L;

	private final Kind kind;

	private final int reasonCode;

	private final @Nullable String reason;

	private final @Nullable String serverReference;

	private ConnectionFailure(Kind kind, int reasonCode, MqttProperties properties, String message,
			@Nullable Throwable cause) {
		super(message, cause);
		this.kind = kind;
		this.reasonCode = reasonCode;
		this.reason = Properties.value(properties, MqttProperties.REASON_STRING, String.class);
		this.serverReference = Properties.value(properties, MqttProperties.SERVER_REFERENCE, String.class);
	}

	static ConnectionFailure of(Kind kind, String message) {
		return new ConnectionFailure(kind, 0, MqttProperties.NO_PROPERTIES, message, null);
	}

	static ConnectionFailure malformed(Throwable cause) {
		return new ConnectionFailure(Kind.MALFORMED, 0, MqttProperties.NO_PROPERTIES,
				"the broker sent a malformed packet", cause);
	}

	/** Returns the failure after a CONNACK or DISCONNECT. */
	static ConnectionFailure byBroker(Kind kind, int reasonCode, MqttProperties properties) {
		return new ConnectionFailure(kind, reasonCode, properties,
				"the broker " + ((kind == Kind.REFUSED) ? "refused the connection" : "disconnected") + " with reason 0x"
						+ Integer.toHexString(reasonCode),
				null);
	}

	/**
	 * Returns the kind of this failure.
	 * @return the kind
	 */
	public Kind kind() {
		return this.kind;
	}

	/**
	 * Returns the reason code of the broker.
	 * @return an MQTT 5 reason code, 0 if the broker has sent none
	 */
	public int reasonCode() {
		return this.reasonCode;
	}

	/**
	 * Returns the Reason String of the broker.
	 * @return text that the broker has chosen, or {@code null} if there is none
	 */
	public @Nullable String reason() {
		return this.reason;
	}

	/**
	 * Returns the Server Reference of the broker (MQTT 5 section 4.11).
	 * @return text that the broker has chosen, or {@code null} if there is none
	 */
	public @Nullable String serverReference() {
		return this.serverReference;
	}

	/** Kinds of failures. */
	public enum Kind {

		/** The server expects TLS. */
		TLS_EXPECTED,

		/** The server speaks neither MQTT nor TLS. */
		NOT_MQTT,

		/** The broker does not answer CONNECT. */
		NO_ANSWER,

		/** The broker refused the connection with a reason code. */
		REFUSED,

		/** The broker ended an accepted connection with a reason code. */
		DISCONNECTED,

		/** The broker closed the connection. */
		CLOSED,

		/** Nothing has arrived from the broker for too long. */
		SILENT,

		/** The broker sent data that is not an MQTT packet. It may do so again. */
		MALFORMED

	}

}

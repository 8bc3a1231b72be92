package io.statestore.mqtt;

import java.io.IOException;

import io.netty.handler.codec.mqtt.MqttProperties;
import org.jspecify.annotations.Nullable;

/** The end of a connection for a reason other than a network or TLS failure. */
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

	/** Creates the failure for a CONNACK or DISCONNECT. */
	static ConnectionFailure byBroker(Kind kind, int reasonCode, MqttProperties properties) {
		return new ConnectionFailure(kind, reasonCode, properties,
				"the broker " + ((kind == Kind.REFUSED) ? "refused the connection" : "disconnected") + " with reason 0x"
						+ Integer.toHexString(reasonCode),
				null);
	}

	/**
	 * Returns the kind of this failure.
	 * @return why the connection ended
	 */
	public Kind kind() {
		return this.kind;
	}

	/**
	 * Returns the broker's reason code.
	 * @return an MQTT 5 reason code, 0 if the broker has not sent one
	 */
	public int reasonCode() {
		return this.reasonCode;
	}

	/**
	 * Returns the broker's Reason String.
	 * @return text chosen by the broker, or {@code null} if there is none
	 */
	public @Nullable String reason() {
		return this.reason;
	}

	/**
	 * Returns the broker's Server Reference (MQTT 5 section 4.11).
	 * @return text chosen by the broker, or {@code null} if there is none
	 */
	public @Nullable String serverReference() {
		return this.serverReference;
	}

	/** Kinds of failures. */
	public enum Kind {

		/** The server expects TLS. */
		TLS_EXPECTED,

		/** The server uses neither MQTT nor TLS. */
		NOT_MQTT,

		/** The broker did not answer the CONNECT. */
		NO_ANSWER,

		/** The broker refused the connection with a reason code. */
		REFUSED,

		/** The broker ended an accepted connection with a reason code. */
		DISCONNECTED,

		/** The broker closed the connection. */
		CLOSED,

		/** The broker has not sent anything for too long. */
		SILENT,

		/** The broker sent data that is not an MQTT packet. It may do so again. */
		MALFORMED

	}

}

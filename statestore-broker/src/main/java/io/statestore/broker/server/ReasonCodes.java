package io.statestore.broker.server;

/** MQTT 5 reason codes of the server. */
final class ReasonCodes {

	static final int SUCCESS = 0x00;

	/** PUBACK: the server failed. */
	static final int UNSPECIFIED = 0x80;

	/** DISCONNECT: the client violated the protocol. */
	static final int PROTOCOL_ERROR = 0x82;

	/** PUBACK: the server does not accept this request. */
	static final int IMPLEMENTATION_SPECIFIC = 0x83;

	/** PUBACK: the server does not reply to this topic. */
	static final int TOPIC_NAME_INVALID = 0x90;

	/** PUBACK and DISCONNECT: the requests of the client need too much memory. */
	static final int QUOTA_EXCEEDED = 0x97;

	private ReasonCodes() {
	}

}

package io.statestore.broker.server;

/** The MQTT 5 reason codes that the server uses. */
final class ReasonCodes {

	static final int SUCCESS = 0x00;

	/** For PUBACK: something failed in the server. */
	static final int UNSPECIFIED = 0x80;

	/** For DISCONNECT: the client did what it must not. */
	static final int PROTOCOL_ERROR = 0x82;

	/** For PUBACK: the server does not take this request. */
	static final int IMPLEMENTATION_SPECIFIC = 0x83;

	/** For PUBACK: the server does not answer on such a topic. */
	static final int TOPIC_NAME_INVALID = 0x90;

	private ReasonCodes() {
	}

}

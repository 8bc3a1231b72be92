package io.statestore.client.mqtt.internal;

/**
 * Descriptions of MQTT 5 reason codes (section 2.4).
 */
final class ReasonCode {

	/** No client has subscribed to the topic of a publish. */
	static final int NO_MATCHING_SUBSCRIBERS = 0x10;

	/** Another client with the same client id has connected. */
	static final int SESSION_TAKEN_OVER = 0x8E;

	/** The client must temporarily use another server. */
	static final int USE_ANOTHER_SERVER = 0x9C;

	/** The client must permanently use another server. */
	static final int SERVER_MOVED = 0x9D;

	private static final int FIRST_FAILURE = 0x80;

	private static final int LAST_FAILURE = 0xA2;

	private ReasonCode() {
	}

	/**
	 * Returns whether a reason code reports a failure.
	 * @param code a reason code
	 * @return {@code true} for failures that MQTT 5 defines
	 */
	static boolean isFailure(int code) {
		return code >= FIRST_FAILURE && code <= LAST_FAILURE;
	}

	/**
	 * Returns whether a reason code concerns the server that sent it, so that another
	 * server may accept the same client.
	 * @param code reason code of a CONNACK or DISCONNECT
	 * @return {@code false} for codes that concern the client, such as a refused login
	 */
	static boolean concernsServer(int code) {
		return switch (code) {
			// Unspecified, implementation specific, unavailable, busy, shutting down,
			// keep alive timeout, maximum connect time
			case 0, 0x80, 0x83, 0x88, 0x89, 0x8B, 0x8D, USE_ANOTHER_SERVER, SERVER_MOVED, 0xA0 -> true;
			default -> false;
		};
	}

	/**
	 * Returns the first failure among the reason codes of an acknowledgment.
	 * @param codes reason codes
	 * @return the reason code of the failure, 0 if there is none
	 */
	static int firstFailure(int[] codes) {
		for (int code : codes) {
			if (isFailure(code)) {
				return code;
			}
		}
		return 0;
	}

	/**
	 * Describes a reason code for logs and messages.
	 * @param code a reason code
	 * @return its name and number
	 */
	static String describe(int code) {
		return name(code) + " (0x" + Integer.toHexString(code) + ')';
	}

	private static String name(int code) {
		return switch (code) {
			case NO_MATCHING_SUBSCRIBERS -> "no matching subscribers";
			case 0x81 -> "malformed packet";
			case 0x82 -> "protocol error";
			case 0x83 -> "implementation specific error";
			case 0x84 -> "unsupported protocol version";
			case 0x85 -> "client identifier not valid";
			case 0x86 -> "bad user name or password";
			case 0x87 -> "not authorized";
			case 0x88 -> "server unavailable";
			case 0x89 -> "server busy";
			case 0x8A -> "banned";
			case 0x8B -> "server shutting down";
			case 0x8C -> "bad authentication method";
			case 0x8D -> "keep alive timeout";
			case 0x8E -> "session taken over";
			case 0x8F -> "topic filter invalid";
			case 0x90 -> "topic name invalid";
			case 0x93 -> "receive maximum exceeded";
			case 0x94 -> "topic alias invalid";
			case 0x95 -> "packet too large";
			case 0x96 -> "message rate too high";
			case 0x97 -> "quota exceeded";
			case 0x98 -> "administrative action";
			case 0x99 -> "payload format invalid";
			case 0x9B -> "QoS not supported";
			case USE_ANOTHER_SERVER, SERVER_MOVED -> "use another server";
			case 0x9F -> "connection rate exceeded";
			case 0xA0 -> "maximum connect time";
			case 0xA2 -> "wildcard subscriptions not supported";
			default -> "unspecified error";
		};
	}

}

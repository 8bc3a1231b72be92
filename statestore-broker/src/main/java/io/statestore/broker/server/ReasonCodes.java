package io.statestore.broker.server;

/**
 * MQTT 5 reason codes (section 2.4).
 * <p>
 * Internal: not part of the API.
 */
public final class ReasonCodes {

	/** Success. */
	public static final int SUCCESS = 0x00;

	/** No matching subscribers. */
	public static final int NO_MATCHING_SUBSCRIBERS = 0x10;

	/** No subscription existed. */
	public static final int NO_SUBSCRIPTION_EXISTED = 0x11;

	/** Re-authenticate. */
	public static final int REAUTHENTICATE = 0x19;

	/** Unspecified error. */
	public static final int UNSPECIFIED = 0x80;

	/** Malformed Packet. */
	public static final int MALFORMED_PACKET = 0x81;

	/** Protocol Error. */
	public static final int PROTOCOL_ERROR = 0x82;

	/** Implementation specific error. */
	public static final int IMPLEMENTATION_SPECIFIC = 0x83;

	/** Not authorized. */
	public static final int NOT_AUTHORIZED = 0x87;

	/** Server busy. */
	public static final int SERVER_BUSY = 0x89;

	/** Server shutting down. */
	public static final int SERVER_SHUTTING_DOWN = 0x8B;

	/** Keep Alive timeout. */
	public static final int KEEP_ALIVE_TIMEOUT = 0x8D;

	/** Session taken over. */
	public static final int SESSION_TAKEN_OVER = 0x8E;

	/** Topic Filter invalid. */
	public static final int TOPIC_FILTER_INVALID = 0x8F;

	/** Topic Name invalid. */
	public static final int TOPIC_NAME_INVALID = 0x90;

	/** Packet Identifier not found. */
	public static final int PACKET_ID_NOT_FOUND = 0x92;

	/** Receive Maximum exceeded. */
	public static final int RECEIVE_MAXIMUM_EXCEEDED = 0x93;

	/** Topic Alias invalid. */
	public static final int TOPIC_ALIAS_INVALID = 0x94;

	/** Packet too large. */
	public static final int PACKET_TOO_LARGE = 0x95;

	/** Quota exceeded. */
	public static final int QUOTA_EXCEEDED = 0x97;

	/** Administrative action. */
	public static final int ADMINISTRATIVE_ACTION = 0x98;

	/** QoS not supported. */
	public static final int QOS_NOT_SUPPORTED = 0x9B;

	/** Use another server. */
	public static final int USE_ANOTHER_SERVER = 0x9C;

	private ReasonCodes() {
	}

	/**
	 * Returns whether a reason code means failure.
	 * @param reasonCode the code, 0 to 255
	 * @return {@code true} if it is 0x80 or above
	 */
	public static boolean isFailure(int reasonCode) {
		return reasonCode >= UNSPECIFIED;
	}

}

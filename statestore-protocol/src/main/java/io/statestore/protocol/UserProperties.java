package io.statestore.protocol;

/** Names of the MQTT user properties in requests and replies (protocol section 1). */
public final class UserProperties {

	/**
	 * The client's clock reading in a request; the version in a reply or notification.
	 */
	public static final String TIMESTAMP = "__ts";

	/** Fencing token of a write. */
	public static final String FENCING_TOKEN = "__ft";

	/** Protocol version. */
	public static final String PROTOCOL_VERSION = "__protVer";

	/** The protocol version that this library sends. */
	public static final String PROTOCOL_VERSION_1 = "1.0";

	/** MQTT client id of a request's sender. */
	public static final String SOURCE_ID = "__srcId";

	/** Status of a reply: 200, or 400 and above if the call itself failed. */
	public static final String STATUS = "__stat";

	/** Status of every state store reply. */
	public static final String STATUS_OK = "200";

	/** Error message, with a status of 400 and above. */
	public static final String STATUS_MESSAGE = "__stMsg";

	/** {@code true} on a SET whose key must survive a server restart. */
	public static final String PERSISTENCE = "aio-persistence";

	/**
	 * Address at which clients can reach a cluster's leader, in the CONNACK to a client
	 * of another node: {@code host:port}. Not part of the protocol.
	 */
	public static final String LEADER = "statestore-leader";

	private UserProperties() {
	}

}

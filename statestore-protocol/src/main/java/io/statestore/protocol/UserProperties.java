package io.statestore.protocol;

/** Names of the MQTT user properties of requests and replies (protocol section 1). */
public final class UserProperties {

	/** Clock reading of the client in a request, version in a reply or notification. */
	public static final String TIMESTAMP = "__ts";

	/** Fencing token of a write. */
	public static final String FENCING_TOKEN = "__ft";

	/** Version of the protocol. */
	public static final String PROTOCOL_VERSION = "__protVer";

	/** Protocol version that this library sends. */
	public static final String PROTOCOL_VERSION_1 = "1.0";

	/** MQTT client id of the sender of a request. */
	public static final String SOURCE_ID = "__srcId";

	/** Status of a reply: 200, or 400 and above if the call itself failed. */
	public static final String STATUS = "__stat";

	/** Status of every reply of a state store. */
	public static final String STATUS_OK = "200";

	/** Error message, with a status of 400 and above. */
	public static final String STATUS_MESSAGE = "__stMsg";

	/** {@code true} on a SET whose key must survive a restart of the server. */
	public static final String PERSISTENCE = "aio-persistence";

	/**
	 * Address of the leader of a cluster in the CONNACK to a client of another node, as
	 * clients reach it: {@code host:port}. Not a part of the protocol.
	 */
	public static final String LEADER = "statestore-leader";

	private UserProperties() {
	}

}

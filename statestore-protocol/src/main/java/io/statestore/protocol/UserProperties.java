package io.statestore.protocol;

/** MQTT user properties of requests, replies, and notifications (protocol section 1). */
public final class UserProperties {

	/** Timestamp of a request, or version in a reply or notification. */
	public static final String TIMESTAMP = "__ts";

	/** Fencing token of a write. */
	public static final String FENCING_TOKEN = "__ft";

	/** Version of the protocol of these properties. */
	public static final String PROTOCOL_VERSION = "__protVer";

	/** Protocol version of our requests. */
	public static final String PROTOCOL_VERSION_1 = "1.0";

	/** Client id of the sender of a request. */
	public static final String SOURCE_ID = "__srcId";

	/** Status of a reply: 200, or 400 and above if the request was not executed. */
	public static final String STATUS = "__stat";

	/** Status of all replies of a state store, including errors. */
	public static final String STATUS_OK = "200";

	/** Error message with a status of 400 and above. */
	public static final String STATUS_MESSAGE = "__stMsg";

	/** {@code true} in a SET whose key must survive a restart of the broker. */
	public static final String PERSISTENCE = "aio-persistence";

	private UserProperties() {
	}

}

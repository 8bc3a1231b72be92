package io.statestore.protocol;

/** The MQTT user properties of requests and replies (protocol section 1). */
public final class UserProperties {

	/** The hybrid logical clock of a request; the version in a reply or notification. */
	public static final String TIMESTAMP = "__ts";

	/** The fencing token of a write. */
	public static final String FENCING_TOKEN = "__ft";

	/** The version of the protocol of the envelope. */
	public static final String PROTOCOL_VERSION = "__protVer";

	/** The protocol version that we send. */
	public static final String PROTOCOL_VERSION_1 = "1.0";

	/** The client id of the sender of a request. */
	public static final String SOURCE_ID = "__srcId";

	/** The status of a reply: 200, or 400 and above for a failure of the call itself. */
	public static final String STATUS = "__stat";

	/** The status of every reply of a state store. */
	public static final String STATUS_OK = "200";

	/** What went wrong, with a status of 400 and above. */
	public static final String STATUS_MESSAGE = "__stMsg";

	/** {@code true} on a SET whose key must survive a restart of the broker. */
	public static final String PERSISTENCE = "aio-persistence";

	private UserProperties() {
	}

}

package io.statestore.client.mqtt.internal;

import io.statestore.client.mqtt.ConnectionOptions;

/**
 * Causes of failed connections and unanswered calls, each with advice on how to fix the
 * problem. Logs, exceptions, and the troubleshooting page share these texts.
 */
public enum ConnectionDiagnosis {

	/** Nothing listens on the port. */
	NOT_LISTENING("connection refused",
			"Check statestore.host and statestore.port, and that the broker is running there."),

	/** The name of the host cannot be resolved. */
	UNKNOWN_HOST("unknown host", "Check statestore.host, and that this machine can resolve it."),

	/** Packets are lost, or the server waits for another protocol. */
	NO_ANSWER("no answer in time",
			"Check statestore.host and statestore.port, that no firewall blocks them, and that the broker is running."),

	/** A server closed a connection without TLS. */
	CLOSED("the broker closed the connection",
			"Check that statestore.port is a port of an MQTT 5 broker. If that port expects TLS, set "
					+ "statestore.ssl.enabled=true or statestore.ssl.bundle."),

	/** One of several servers closed a connection without TLS. */
	NODE_CLOSED("the broker closed the connection",
			"Check that the nodes of the cluster run and reach each other, and that statestore.hosts names ports of "
					+ "MQTT 5 brokers. If these ports expect TLS, set statestore.ssl.enabled=true or "
					+ "statestore.ssl.bundle."),

	/** A server answered in another protocol. */
	NOT_MQTT("the port does not speak MQTT",
			"Set statestore.port to the MQTT port of the broker, usually 1883, or 8883 with TLS."),

	/** A server answered in TLS to a client without TLS. */
	TLS_EXPECTED("the port expects TLS",
			"Set statestore.ssl.enabled=true or statestore.ssl.bundle, or set statestore.port to a port without TLS."),

	/** A server answered a TLS handshake in another protocol. */
	TLS_NOT_SPOKEN("the port does not speak TLS",
			"Set statestore.port to the TLS port of the broker, usually 8883, or set statestore.ssl.enabled=false."),

	/** A server closed the connection during the TLS handshake. */
	TLS_CLOSED("the server closed the connection during the TLS handshake",
			"Check that statestore.port is the TLS port of the broker, usually 8883, and whether the broker requires a "
					+ "client certificate in the bundle named by statestore.ssl.bundle."),

	/** One of several servers closed the connection during the TLS handshake. */
	NODE_TLS_CLOSED("the server closed the connection during the TLS handshake",
			"Check that the nodes of the cluster run and reach each other, that statestore.hosts names TLS ports of "
					+ "brokers, and whether the brokers require a client certificate in the bundle named by "
					+ "statestore.ssl.bundle."),

	/** No trusted CA has signed the broker's certificate. */
	CERTIFICATE_NOT_TRUSTED("the certificate of the broker is not trusted",
			"Add its CA to the trust store of the bundle named by statestore.ssl.bundle."),

	/** The broker's certificate names other hosts. */
	CERTIFICATE_OF_OTHER_HOST("the certificate of the broker does not name this host",
			"Set statestore.host to a name in that certificate."),

	/** The broker's certificate is not valid now. */
	CERTIFICATE_EXPIRED("the certificate of the broker has expired or is not valid yet",
			"Renew that certificate, or correct the clock of this machine."),

	/** The broker refused the client's certificate, or misses one. */
	CLIENT_CERTIFICATE_REFUSED("the broker did not accept the client certificate",
			"Add a certificate that the broker trusts to the key store of the bundle named by statestore.ssl.bundle."),

	/** Client and broker have no TLS version or cipher suite in common. */
	TLS_VERSION("the broker and this client have no TLS version or cipher suite in common",
			"Permit TLS 1.2 or 1.3 at the broker, with a cipher suite that this JVM supports."),

	/** The broker ended the TLS handshake without naming the cause. */
	TLS_REFUSED("the broker refused the TLS handshake",
			"Check whether the broker requires a client certificate in the bundle named by statestore.ssl.bundle, and "
					+ "which TLS versions and cipher suites it permits."),

	/** Any other failure of TLS. */
	TLS_FAILED("TLS failed", "Check statestore.ssl.bundle and the TLS settings of the broker."),

	/** CONNACK 0x84. */
	NOT_MQTT_5("the broker does not speak MQTT 5", "Use a broker that supports MQTT 5, and enable it there."),

	/** CONNACK 0x85. */
	CLIENT_ID_REFUSED("the broker refused the client id",
			"Set statestore.client-id to an id that it accepts. If the id belongs to another user of the broker, log in as "
					+ "that user, or remove the session there."),

	/**
	 * CONNACK 0x86 or 0x87 to a client that has sent neither credentials nor a
	 * certificate.
	 */
	LOGIN_REQUIRED("the broker does not accept this client without a login",
			"Set statestore.username and statestore.password, or permit clients without a login at the broker."),

	/** CONNACK 0x86 or 0x87 to a client that has sent a certificate only. */
	CERTIFICATE_LOGIN_REFUSED("the broker does not accept the client certificate as a login",
			"Check at the broker that it uses certificates for logins, and that the certificate in the bundle named by "
					+ "statestore.ssl.bundle names a user that it permits. Or set statestore.username and "
					+ "statestore.password."),

	/** CONNACK 0x86. */
	LOGIN_REFUSED("the broker refused the login", "Check statestore.username and statestore.password."),

	/** CONNACK 0x87. */
	NOT_AUTHORIZED("the broker does not authorize this client",
			"Check statestore.username, statestore.password and statestore.client-id against the rules of the broker."),

	/** CONNACK 0x8C. */
	AUTHENTICATION_REFUSED("the broker refused the authentication method",
			"Check statestore.service-account-token-file. Only brokers that accept service account tokens need it."),

	/** CONNACK 0x86 or 0x87 to a client that has sent a token. */
	TOKEN_REFUSED("the broker refused the token",
			"Check that the token in statestore.service-account-token-file is current, and that the broker trusts its "
					+ "issuer and is the audience."),

	/** DISCONNECT 0x87. */
	LOGIN_ENDED("the broker no longer authorizes this client",
			"Check that the token or certificate of this client is renewed before it expires, and the users and rules of "
					+ "the broker."),

	/** CONNACK 0x8A. */
	BANNED("the broker has banned this client", "Remove the ban at the broker, whose log contains the reason."),

	/** CONNACK 0x88 or 0x89. */
	BROKER_BUSY("the broker does not accept connections now", "Check the load of the broker and its log."),

	/** CONNACK 0x95. */
	CONNECT_TOO_LARGE("the broker refused the size of the login",
			"Use a shorter token or password, or raise the maximum size of a CONNECT at the broker."),

	/** CONNACK or DISCONNECT 0x97. */
	LIMIT_REACHED("a limit of the broker is reached",
			"Close other connections of this user or address, or raise the limit at the broker."),

	/** CONNACK 0x9C or 0x9D. */
	OTHER_SERVER("the broker refers this client to another server", "Set statestore.host to that server."),

	/** CONNACK 0x9C or 0x9D of one of several servers. */
	OTHER_NODE("the broker refers this client to another server",
			"Check that the nodes of the cluster run and reach each other, and that statestore.hosts names all of them as "
					+ "they name each other."),

	/** CONNACK or DISCONNECT 0x9F. */
	TOO_MANY_CONNECTS("connections arrive faster than the broker permits",
			"Check whether an application connects again and again, or raise the limit at the broker."),

	/** DISCONNECT 0x8E. */
	CLIENT_ID_IN_USE("another client has connected with the same client id",
			"Set statestore.client-id to a different value in each application and instance, or leave it unset."),

	/** Any other refusal by the broker. */
	REFUSED("the broker refused the connection", "Check the log of the broker for the reason."),

	/** PUBACK 0x10: the broker knows no subscriber of the request topic. */
	NO_STORE("no state store is attached to this broker",
			"Check that a state store (Azure IoT Operations, StateStoreBroker or a gateway) is running and connected to "
					+ "this broker."),

	/** PUBACK with another failure. */
	REQUEST_REFUSED("the broker refused the request",
			"Allow this client to publish to the request topic, and check statestore.client-id and "
					+ "statestore.username."),

	/** Requests are accepted, and no reply has ever arrived. */
	NO_REPLY_EVER("no reply has arrived since the application started",
			"Check that the rules of the broker allow this client to read its response topic, that "
					+ "statestore.client-id is the id they name, and that a state store is attached."),

	/** Requests are accepted, and earlier ones were answered. */
	NO_REPLY("earlier requests were answered", "Check that the state store is still running and not overloaded."),

	/** More calls are pending than are allowed. */
	TOO_MANY_CALLS("as many calls are pending as statestore.max-pending allows",
			"Wait for some of them before sending more, or raise statestore.max-pending."),

	/** The pending calls are larger than is allowed. */
	TOO_MANY_BYTES("the pending calls have as many bytes as maxPendingSize allows",
			"Wait for some of them before sending more, or raise maxPendingSize of the ConnectionOptions.");

	private final String cause;

	private final String nextStep;

	ConnectionDiagnosis(String cause, String nextStep) {
		this.cause = cause;
		this.nextStep = nextStep;
	}

	/**
	 * Returns the cause, as it is shown in logs and messages.
	 * @return the cause, without a period
	 */
	public String cause() {
		return this.cause;
	}

	/**
	 * Returns advice on how to fix the problem, with the properties to check.
	 * @return one or two sentences
	 */
	public String nextStep() {
		return this.nextStep;
	}

}

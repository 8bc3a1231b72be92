package io.statestore.broker.conformance;

import java.util.Set;

/** A running server of the protocol, wherever it lives. */
interface StateStoreHome extends AutoCloseable {

	/** The port on 127.0.0.1 that clients connect to. */
	int port();

	/** What this home cannot keep, and does as documented instead. */
	default Set<Difference> differences() {
		return Set.of();
	}

	@Override
	void close() throws Exception;

	/**
	 * What a server that is only a client of somebody else's broker does differently. A
	 * test of such a rule asserts what is written here instead.
	 */
	enum Difference {

		/**
		 * The broker acknowledges requests, so that one that cannot be answered gets
		 * reason 0x00 like any other. It has no effect all the same.
		 */
		ACKNOWLEDGED_BY_THE_BROKER,

		/**
		 * A forbidden response topic has no effect and no reply. The connection lives,
		 * unless the broker itself refuses the topic.
		 */
		CANNOT_DISCONNECT,

		/**
		 * A client gets the notifications it has subscribed to, and an observation of
		 * which the broker says that nobody subscribed ends.
		 */
		NEEDS_A_SUBSCRIPTION,

		/**
		 * An observation outlives the connection until its lease ends: a client that
		 * comes back to its MQTT session gets what was queued meanwhile.
		 */
		ENDS_OF_CONNECTIONS_ARE_INVISIBLE,

		/** Without an ACL in the broker, whoever subscribes reads along. */
		OTHERS_CAN_READ_ALONG,

		/**
		 * A client without {@code __srcId} and {@code clients/{clientId}/} cannot
		 * observe.
		 */
		CLIENT_ID_IS_A_CLAIM

	}

}

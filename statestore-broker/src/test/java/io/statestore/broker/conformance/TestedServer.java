package io.statestore.broker.conformance;

import java.util.Set;

import io.statestore.protocol.ProtocolDialect;

/**
 * A running server that implements the protocol: embedded, standalone, or behind a
 * gateway.
 */
interface TestedServer extends AutoCloseable {

	/** Returns the port on 127.0.0.1 to which clients connect. */
	int port();

	/** Returns the protocol dialect of the server (section 9). */
	default ProtocolDialect protocolDialect() {
		return ProtocolDialect.CLIENTS;
	}

	/** Returns the documented deviations of this server. */
	default Set<Difference> differences() {
		return Set.of();
	}

	@Override
	void close() throws Exception;

	/**
	 * Deviations of a server that is itself a client of another broker. The tests for the
	 * rules concerned verify the behavior described here instead.
	 */
	enum Difference {

		/**
		 * The broker acknowledges requests. A request that cannot be answered is
		 * acknowledged with 0x00, but has no effect.
		 */
		ACKNOWLEDGED_BY_THE_BROKER,

		/**
		 * A request with a forbidden response topic has no effect and no reply. The
		 * connection continues, unless the broker itself refuses the topic.
		 */
		CANNOT_DISCONNECT,

		/**
		 * A client receives the notifications it has subscribed to. A watch ends if the
		 * broker reports no subscriber.
		 */
		NEEDS_A_SUBSCRIPTION,

		/**
		 * A watch continues after the connection until its lease ends. A client that
		 * resumes its MQTT session receives the queued notifications.
		 */
		ENDS_OF_CONNECTIONS_ARE_INVISIBLE,

		/** Without an ACL in the broker, every subscriber receives the messages. */
		OTHERS_CAN_READ_ALONG,

		/**
		 * A client without {@code __srcId} and {@code clients/{clientId}/} cannot watch.
		 */
		CLIENT_ID_IS_A_CLAIM

	}

}

package io.statestore.broker.conformance;

import io.statestore.broker.conformance.TestedServer.Difference;
import io.statestore.protocol.ProtocolDialect;

/** Provides new clients and unused keys to a rule's tests. */
interface ConformanceContext {

	TestedServer server();

	/** Returns a new client whose session ends with its connection. */
	StoreClient newClient();

	/** Returns a client with an id. The client is closed after the test. */
	StoreClient newClient(String clientId, boolean cleanStart, long sessionExpirySeconds);

	/** Returns a short string that no other test uses. */
	String unique(String prefix);

	/** Returns whether a server's documentation names a deviation from the rules. */
	default boolean differs(Difference difference) {
		return server().differences().contains(difference);
	}

	/**
	 * Returns whether the server uses the dialect of the published articles (section 9).
	 */
	default boolean isSpecification() {
		return server().protocolDialect() == ProtocolDialect.SPECIFICATION;
	}

	/** Returns the reply to a SET or VDEL that was not applied. */
	default String notApplied() {
		return isSpecification() ? "-1⏎" : ":-1⏎";
	}

	/** Returns the payload of a deletion notification. */
	default String deletion() {
		return isSpecification() ? "*2⏎$6⏎NOTIFY⏎$3⏎DEL⏎" : "*2⏎$6⏎NOTIFY⏎$6⏎DELETE⏎";
	}

	/** Returns the error reply to a command other than KEYNOTIFY. */
	default String error(String text) {
		return "-ERR " + text + (isSpecification() ? "" : "⏎");
	}

	/** Returns the error reply to a command that starts with its verb. */
	default String error(String command, String text) {
		return (isSpecification() && command.startsWith("KEYNOTIFY")) ? "-ERR: " + text + "⏎" : error(text);
	}

}

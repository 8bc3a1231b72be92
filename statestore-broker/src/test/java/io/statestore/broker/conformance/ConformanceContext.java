package io.statestore.broker.conformance;

import io.statestore.broker.conformance.TestedServer.Difference;
import io.statestore.protocol.ProtocolDialect;

/** New clients and unused keys for a rule. */
interface ConformanceContext {

	TestedServer server();

	/** Returns a new client whose session ends with its connection. */
	StoreClient newClient();

	/** Returns a client with an id. It is closed after the test. */
	StoreClient newClient(String clientId, boolean cleanStart, long sessionExpirySeconds);

	/** Returns a short string that no other test uses. */
	String unique(String prefix);

	/** Returns whether the server is documented to deviate from a rule. */
	default boolean differs(Difference difference) {
		return server().differences().contains(difference);
	}

	/** Returns whether the server has the form of the published articles (section 9). */
	default boolean isSpecification() {
		return server().protocolDialect() == ProtocolDialect.SPECIFICATION;
	}

	/** Returns the reply to a SET or VDEL that was not applied. */
	default String notApplied() {
		return isSpecification() ? "-1⏎" : ":-1⏎";
	}

	/** Returns the notification of a deletion. */
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

package io.statestore.broker.conformance;

import io.statestore.broker.conformance.TestedServer.Difference;

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

}

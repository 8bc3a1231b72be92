package io.statestore.broker.conformance;

import io.statestore.broker.conformance.StateStoreHome.Difference;

/** What a rule needs: fresh clients and keys that nobody else uses. */
interface ConformanceContext {

	StateStoreHome home();

	/** A new client with a session that ends with its connection. */
	StoreClient newClient();

	/** A client with a given id; closed after the test. */
	StoreClient newClient(String clientId, boolean cleanStart, long sessionExpirySeconds);

	/** A short text that no other test uses. */
	String unique(String prefix);

	/** Whether the home has documented that it cannot keep a rule. */
	default boolean differs(Difference difference) {
		return home().differences().contains(difference);
	}

}

package io.statestore.client.mqtt;

import io.statestore.client.StateStoreNotSentException;

/** Messages about a connection. Each names one cause, the property and the next step. */
public final class ConnectionDiagnosis {

	private ConnectionDiagnosis() {
	}

	static StateStoreNotSentException tooManyCalls(int maxPending) {
		return new StateStoreNotSentException(maxPending
				+ " calls are pending already, as many as statestore.max-pending allows. Wait for some of them before "
				+ "sending more, or raise the property");
	}

}

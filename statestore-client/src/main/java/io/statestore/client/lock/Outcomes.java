package io.statestore.client.lock;

import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreInvalidRequestException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreRefusedException;
import org.jspecify.annotations.Nullable;

/** Outcomes of failed requests. */
final class Outcomes {

	private Outcomes() {
	}

	/** Returns whether the store may have executed a request despite its failure. */
	static boolean isUnknown(@Nullable StateStoreException failure) {
		return !(failure instanceof StateStoreNotSentException || failure instanceof StateStoreInvalidRequestException
				|| failure instanceof StateStoreRefusedException);
	}

}

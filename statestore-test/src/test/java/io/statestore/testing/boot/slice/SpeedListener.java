package io.statestore.testing.boot.slice;

import io.statestore.client.KeyChange;
import io.statestore.client.annotation.StateStoreListener;

/** Superclass of a component. */
abstract class SpeedListener {

	@StateStoreListener(keys = "speed")
	void changed(KeyChange<String> change) {
	}

}

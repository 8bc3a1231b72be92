package io.statestore.testing.boot.slice;

import io.statestore.client.KeyChange;
import io.statestore.client.annotation.StateStoreListener;

import org.springframework.stereotype.Component;

/** Component with two annotations on one method. */
@Component
class RepeatedListener {

	@StateStoreListener(keys = "temperature")
	@StateStoreListener(keys = "pressure")
	void changed(KeyChange<String> change) {
	}

}

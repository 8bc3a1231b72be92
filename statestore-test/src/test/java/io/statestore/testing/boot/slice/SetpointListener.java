package io.statestore.testing.boot.slice;

import io.statestore.client.KeyChange;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.testing.assertj.ChangeRecorder;

import org.springframework.stereotype.Component;

/** Component that a {@code @StateStoreTest} includes. */
@Component
class SetpointListener {

	final ChangeRecorder<Setpoint> changes = new ChangeRecorder<>();

	@StateStoreListener(keys = "setpoint")
	void changed(KeyChange<Setpoint> change) {
		this.changes.onChange(change);
	}

	record Setpoint(int degrees) {
	}

}

package io.statestore.testing.boot.slice;

import io.statestore.client.KeyChange;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.testing.assertj.ChangeRecorder;

import org.springframework.stereotype.Component;

/** Component that a test of the state store contains. */
@Component
class SetPointListener {

	final ChangeRecorder<SetPoint> changes = new ChangeRecorder<>();

	@StateStoreListener(keys = "setpoint")
	void changed(KeyChange<SetPoint> change) {
		this.changes.onChange(change);
	}

	record SetPoint(int degrees) {
	}

}

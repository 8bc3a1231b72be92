package io.statestore.sample.press;

import io.statestore.client.StateStoreTemplate;
import io.statestore.client.annotation.StateStoreListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Component;

/** Temperature that all presses aim for. */
@Component
class Setpoint {

	static final String KEY = "line/setpoint";

	private static final double DEFAULT = 150;

	private static final Logger logger = LoggerFactory.getLogger(Setpoint.class);

	private final StateStoreTemplate store;

	private volatile @Nullable Double degrees;

	Setpoint(StateStoreTemplate store) {
		this.store = store;
	}

	/**
	 * Called with the current value at startup, and on each change: docs/listeners.md.
	 */
	@StateStoreListener(keys = KEY, initial = true)
	void changed(@Nullable Double degrees) {
		this.degrees = degrees;
		logger.info("The setpoint is {}", (degrees != null) ? degrees + " °C" : "absent");
	}

	/** Returns the setpoint. Stores the default if there is none: docs/template.md. */
	double degrees() {
		Double current = this.degrees;
		if (current == null) {
			this.store.set(KEY, DEFAULT, (spec) -> spec.ifAbsent().persistent());
			return DEFAULT;
		}
		return current;
	}

}

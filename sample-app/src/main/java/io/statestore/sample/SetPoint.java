package io.statestore.sample;

import io.statestore.client.annotation.StateStoreListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Component;

/** Set point in the store, updated on every change by any instance. */
@Component
class SetPoint {

	private static final Logger logger = LoggerFactory.getLogger(SetPoint.class);

	private volatile @Nullable Double percent;

	@StateStoreListener(keys = MachineStore.SET_POINT, initial = true)
	void changed(@Nullable Double percent) {
		this.percent = percent;
		logger.info("The set point is now {} %", percent);
	}

	/** Returns the set point, or {@code null} while none is set. */
	@Nullable Double percent() {
		return this.percent;
	}

}

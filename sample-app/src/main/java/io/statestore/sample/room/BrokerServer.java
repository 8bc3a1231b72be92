package io.statestore.sample.room;

import io.statestore.history.StateHistory;
import org.jspecify.annotations.Nullable;

/** A broker that can be started. */
interface BrokerServer {

	/**
	 * Starts the broker.
	 * @param port its port, which accepts connections from this machine only
	 * @throws org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException
	 * if it cannot be started
	 */
	Running start(int port);

	/** Returns the number of ports that the broker uses, from its port on. */
	default int portCount() {
		return 1;
	}

	/** A running broker. */
	interface Running extends AutoCloseable {

		/** Returns the history of the store, {@code null} if there is none. */
		@Nullable StateHistory history();

		@Override
		void close();

	}

}

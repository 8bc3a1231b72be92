package io.statestore.sample.room;

import java.nio.file.Path;

import io.statestore.broker.storage.HistoryRetention;
import io.statestore.broker.storage.StorageOptions;

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

	/** Returns a store on disk with a history of at most 64 MiB. */
	static StorageOptions storage(Path directory) {
		return StorageOptions.in(directory).withHistory(HistoryRetention.ofLimits(null, 64L << 20));
	}

	/** A running broker. */
	interface Running extends AutoCloseable {

		@Override
		void close();

	}

}

package io.statestore.broker.server;

import java.nio.file.Path;

import io.statestore.broker.storage.StorageOptions;

/** Where a test's server keeps its data. */
enum TestStorage {

	MEMORY,

	DIRECTORY;

	/** Returns a server with the default options. */
	StateStoreServer start(Path directory) {
		return start(StateStoreServerOptions.defaults(), directory);
	}

	/**
	 * Returns a server.
	 * @param directory an existing directory
	 */
	StateStoreServer start(StateStoreServerOptions options, Path directory) {
		return new StateStoreServer(switch (this) {
			case MEMORY -> options;
			case DIRECTORY -> options.withStorage(StorageOptions.in(directory));
		});
	}

}

package io.statestore.client.lock;

import java.nio.file.Path;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.storage.Persist;
import io.statestore.broker.storage.StorageOptions;

/** A broker with a directory, as a process that a test can kill. */
final class DurableBroker {

	private DurableBroker() {
	}

	/**
	 * Runs a broker and prints its port.
	 * @param arguments the directory, the port, 0 for a free one, and which keys survive
	 * a restart
	 */
	public static void main(String[] arguments) {
		StateStoreBroker broker = StateStoreBroker.builder()
			.port(Integer.parseInt(arguments[1]))
			.storage(StorageOptions.in(Path.of(arguments[0])).withPersist(Persist.valueOf(arguments[2])))
			.start();
		System.out.println("PORT " + broker.port());
		broker.stopped().join();
	}

}

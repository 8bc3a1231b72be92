package io.statestore.client.lock;

import java.nio.file.Path;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.storage.StorageOptions;

/** A broker on a port, with a directory. Prints the port, and runs until it is killed. */
final class BrokerProgram {

	private BrokerProgram() {
	}

	public static void main(String[] arguments) throws InterruptedException {
		StateStoreBroker broker = StateStoreBroker.builder()
			.port(Integer.parseInt(arguments[0]))
			.storage(StorageOptions.in(Path.of(arguments[1])))
			.start();
		System.out.println("port " + broker.port());
		Thread.currentThread().join();
	}

}

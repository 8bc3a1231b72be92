package io.statestore.broker.mqtt;

import java.nio.file.Path;

import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.JavaProcess;

/** A broker with a directory in its own JVM, which tests can kill. */
final class MqttBrokerProcess {

	private MqttBrokerProcess() {
	}

	/**
	 * Starts a broker with the directory, the fsync policy, and the port given as
	 * arguments.
	 */
	public static void main(String[] arguments) throws Exception {
		StorageOptions storage = StorageOptions.in(Path.of(arguments[0])).withFsync(Fsync.valueOf(arguments[1]));
		DurableBroker broker = DurableBroker.in(storage.directory())
			.with(storage)
			.with(new MqttBrokerSettings("localhost", Integer.parseInt(arguments[2]), 1_000_000))
			.start();
		System.out.println("port " + broker.port());
		Thread.currentThread().join();
	}

	static JavaProcess start(StorageOptions storage, int port) {
		return JavaProcess.of(MqttBrokerProcess.class).arguments(storage.directory(), storage.fsync(), port).start();
	}

	static int port(JavaProcess process) {
		return Integer.parseInt(process.await("^port (\\d+)$").group(1));
	}

}

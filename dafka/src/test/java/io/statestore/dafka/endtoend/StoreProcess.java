package io.statestore.dafka.endtoend;

import java.nio.file.Path;

import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.store.Store;
import io.statestore.test.JavaProcess;

/** Program that runs a store until it is killed. */
final class StoreProcess {

	private StoreProcess() {
	}

	static JavaProcess start(TowerAddress tower, Path directory) {
		JavaProcess process = JavaProcess.of(StoreProcess.class)
			.options("-Xmx256m")
			.arguments(tower.inPort(), tower.outPort(), directory)
			.start();
		process.await("^started$");
		return process;
	}

	public static void main(String[] args) throws Exception {
		NodeOptions node = NodeOptions.builder()
			.tower(new TowerAddress("127.0.0.1", Integer.parseInt(args[0]), Integer.parseInt(args[1])))
			.bindHost("127.0.0.1")
			.build();
		Store store = Store.builder(node).directory(Path.of(args[2])).start();
		System.out.println("started");
		Thread.sleep(Long.MAX_VALUE);
		store.close();
	}

}

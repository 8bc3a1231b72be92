package io.statestore.history;

import java.nio.file.Path;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.TowerAddress;
import io.statestore.test.JavaProcess;

/** A broker with a directory and a history, in a process of its own, to be killed. */
final class BrokerProcess implements AutoCloseable {

	final int port;

	private final JavaProcess process;

	BrokerProcess(TowerAddress tower, Path directory) {
		this.process = JavaProcess.of(BrokerProcess.class)
			.options("-Xmx256m")
			.arguments(tower.inPort(), tower.outPort(), directory)
			.start();
		this.port = Integer.parseInt(this.process.await("^port (\\d+)$").group(1));
	}

	/** Returns the directory of the store of a broker. */
	static Path store(Path directory) {
		return directory.resolveSibling(directory.getFileName() + "-store");
	}

	void kill() {
		this.process.kill();
	}

	@Override
	public void close() {
		this.process.close();
	}

	public static void main(String[] args) throws Exception {
		NodeOptions network = NodeOptions.builder()
			.tower(new TowerAddress("127.0.0.1", Integer.parseInt(args[0]), Integer.parseInt(args[1])))
			.bindHost("127.0.0.1")
			.build();
		Path directory = Path.of(args[2]);
		HistoryJournal journal = HistoryJournal.builder(directory).network(network).start();
		StateStoreBroker broker = StateStoreBroker.builder()
			.storage(StorageOptions.in(store(directory)))
			.journal(journal)
			.start();
		System.out.println("port " + broker.port());
		Thread.sleep(Long.MAX_VALUE);
	}

}

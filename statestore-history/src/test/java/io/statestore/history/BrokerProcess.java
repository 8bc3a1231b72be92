package io.statestore.history;

import java.nio.file.Path;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.TowerAddress;
import io.statestore.test.JavaProcess;

/**
 * A broker with a directory and a history, in a process of its own, which is to be
 * killed.
 */
final class BrokerProcess implements AutoCloseable {

	final int port;

	private final JavaProcess process;

	/**
	 * Starts a broker.
	 * @param journal directory of the history
	 * @param store directory of the store
	 */
	BrokerProcess(TowerAddress tower, Path journal, Path store) {
		this.process = JavaProcess.of(BrokerProcess.class)
			.options("-Xmx256m")
			.arguments(tower.inPort(), tower.outPort(), journal, store)
			.start();
		this.port = Integer.parseInt(this.process.await("^port (\\d+)$").group(1));
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
		HistoryJournal journal = HistoryJournal.builder(Path.of(args[2])).network(network).start();
		StateStoreBroker broker = StateStoreBroker.builder()
			.storage(StorageOptions.in(Path.of(args[3])))
			.journal(journal)
			.start();
		System.out.println("port " + broker.port());
		Thread.sleep(Long.MAX_VALUE);
	}

}

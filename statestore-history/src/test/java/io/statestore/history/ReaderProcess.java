package io.statestore.history;

import java.nio.charset.StandardCharsets;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32;

import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.TowerAddress;
import io.statestore.history.HistorySnapshot.Entry;
import io.statestore.protocol.Bytes;
import io.statestore.test.JavaProcess;

/** A process that only reads: it has neither the broker nor RocksDB. */
final class ReaderProcess {

	private ReaderProcess() {
	}

	/**
	 * Returns the content that another process rebuilds, as {@link #describe} prints it.
	 */
	static String rebuild(TowerAddress tower) {
		try (JavaProcess process = JavaProcess.of(ReaderProcess.class)
			.options("-Xmx256m")
			.withoutClassPathEntries(
					(entry) -> Stream.of("statestore-broker", "rocksdb", "netty").anyMatch(entry::contains))
			.arguments(tower.inPort(), tower.outPort())
			.start()) {
			return process.await("^rebuilt .*").group();
		}
	}

	/** Version, number of keys and a checksum of all of them. */
	static String describe(HistorySnapshot snapshot) {
		CRC32 checksum = new CRC32();
		for (var entry : new TreeMap<Bytes, Entry>(snapshot.entries()).entrySet()) {
			checksum.update(entry.getKey().toByteBuffer());
			checksum.update(entry.getValue().value().toByteBuffer());
			checksum.update(entry.getValue().version().toString().getBytes(StandardCharsets.US_ASCII));
		}
		return "rebuilt " + snapshot.version() + ' ' + snapshot.entries().size() + ' ' + checksum.getValue();
	}

	public static void main(String[] args) throws Exception {
		try {
			Class.forName("io.statestore.broker.StateStoreBroker");
			throw new IllegalStateException("The broker is on the class path");
		}
		catch (ClassNotFoundException ex) {
			// As it should be.
		}
		NodeOptions network = NodeOptions.builder()
			.tower(new TowerAddress("127.0.0.1", Integer.parseInt(args[0]), Integer.parseInt(args[1])))
			.bindHost("127.0.0.1")
			.build();
		System.out.println(describe(StateHistory.over(network).build().rebuild()));
		System.exit(0);
	}

}

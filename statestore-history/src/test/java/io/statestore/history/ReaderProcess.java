package io.statestore.history;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.TowerAddress;
import io.statestore.history.HistorySnapshot.Entry;
import io.statestore.protocol.Bytes;

/** A process that only reads: it has neither the broker nor RocksDB. */
final class ReaderProcess {

	private ReaderProcess() {
	}

	/** What another process rebuilds, as {@link #describe} tells it. */
	static String rebuild(TowerAddress tower) throws Exception {
		String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !entry.contains("statestore-broker") && !entry.contains("rocksdb")
					&& !entry.contains("artemis") && !entry.contains("netty"))
			.collect(Collectors.joining(File.pathSeparator));
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx256m", "-cp", classPath, ReaderProcess.class.getName(), String.valueOf(tower.inPort()),
				String.valueOf(tower.outPort()))
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		try {
			String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			return out.lines().filter((line) -> line.startsWith("rebuilt")).findFirst().orElse(out);
		}
		finally {
			process.destroyForcibly();
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

package io.statestore.dafka.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.internal.PartitionKey;
import io.statestore.test.JavaProcess;

/** Process that uses a directory of records. */
final class StorageProcess {

	private static final int TABLE_SIZE = 64 << 10;

	private StorageProcess() {
	}

	static JavaProcess start(String task, Path directory) {
		return builder(task, directory).start();
	}

	/** Runs in a separate mount namespace, with a file system of 3 MiB. */
	static JavaProcess startOnSmallDisk(String task, Path directory) throws IOException {
		Files.createDirectories(directory);
		return builder(task, directory)
			.through("unshare", "--map-root-user", "--mount", "sh", "-c",
					"mount -t tmpfs -o size=3m tmpfs \"$0\" && exec \"$@\"", directory.toString())
			.start();
	}

	private static JavaProcess.Builder builder(String task, Path directory) {
		return JavaProcess.of(StorageProcess.class).options("-Xmx128m").arguments(task, directory);
	}

	public static void main(String[] args) throws Exception {
		Path directory = Path.of(args[1]);
		if (args[0].equals("hold")) {
			try (RocksEngine engine = RocksEngine.open(directory)) {
				System.out.println("ready");
				Thread.sleep(60_000);
			}
		}
		else {
			fill(directory);
		}
	}

	private static void fill(Path directory) throws IOException {
		Path ballast = directory.resolve("ballast");
		Files.write(ballast, new byte[1 << 20]);
		Path records = directory.resolve("records");
		PartitionKey key = new PartitionKey(Bytes.of("A"), Bytes.of("t"));
		long written = 0;
		RecordLog log = new RecordLog(RocksEngine.open(records,
				(options) -> options.setWriteBufferSize(TABLE_SIZE).setTargetFileSizeBase(TABLE_SIZE)));
		try {
			while (true) {
				log.append(log.partition(key), new byte[300]);
				log.flush(false, 1);
				written++;
			}
		}
		catch (StorageException ex) {
			System.out.println("full: " + ex.getMessage());
		}
		close(log);
		Files.delete(ballast);
		try (RecordLog again = new RecordLog(RocksEngine.open(records))) {
			System.out.println("kept: " + (again.partition(key).next() == written));
		}
	}

	private static void close(RecordLog log) {
		try {
			log.close();
		}
		catch (StorageException ex) {
			System.out.println("closed: " + ex.getMessage());
		}
	}

}

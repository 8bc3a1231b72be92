package io.statestore.dafka.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/**
 * Converts failures of RocksDB into exceptions that name the directory and the next step.
 */
record RocksDiagnosis(Path directory) {

	private static final String DAMAGED = "the directory is damaged: restore it from a copy, or move it away. A"
			+ " Dafka store with an empty directory copies the records of other stores";

	/** Returns the failure to open the directory. */
	StorageException cannotOpen(Exception cause) {
		return failure("open", cause, "check that it is a directory in which this process can write");
	}

	/** Returns the failure of an operation, for example "read". */
	StorageException cannot(String operation, RocksDBException cause) {
		return failure(operation, cause, "check the disk, then start the store again");
	}

	/** Returns the failure of a write that waits for RocksDB to write its tables. */
	StorageException tablesFail() {
		return new StorageException("Cannot write records in " + this.directory + " (RocksDB cannot write its tables; "
				+ usableSpace() + " bytes are free): free space on the disk, then start the store again. The file LOG"
				+ " in the directory has the details", null);
	}

	/**
	 * Returns the parts of write-ahead logs that could not be read when the directory was
	 * opened, as RocksDB reports them.
	 */
	List<String> droppedWrites() {
		try {
			return Files.readAllLines(this.directory.resolve("LOG"), StandardCharsets.ISO_8859_1)
				.stream()
				.filter((line) -> line.contains(".log: dropping "))
				.map((line) -> line.substring(line.lastIndexOf("] ") + 2))
				.toList();
		}
		catch (IOException ex) {
			return List.of();
		}
	}

	private StorageException failure(String operation, Exception cause, String otherwise) {
		Status status = (cause instanceof RocksDBException failure) ? failure.getStatus() : null;
		return new StorageException("Cannot " + operation + " records in " + this.directory + " (" + cause.getMessage()
				+ "): " + nextStep(status, String.valueOf(cause.getMessage()), otherwise), cause);
	}

	private static String nextStep(@Nullable Status status, String message, String otherwise) {
		if (message.contains("LOCK: Resource") || message.startsWith("lock ")) {
			return "another store uses it; stop that store, or choose another directory";
		}
		if (status != null && status.getSubCode() == Status.SubCode.NoSpace) {
			return "free space on the disk, then start the store again";
		}
		return (status != null && status.getCode() == Status.Code.Corruption) ? DAMAGED : otherwise;
	}

	private long usableSpace() {
		try {
			return Files.getFileStore(this.directory).getUsableSpace();
		}
		catch (IOException ex) {
			return 0;
		}
	}

}

package io.statestore.broker.crash;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Objects;

/**
 * Runs processes whose operations on a directory are recorded in a journal and can be
 * made to fail. A C library ({@code powercut.c}) is loaded into the process. Without a
 * compiler, tests are skipped.
 */
public final class PowerCutShim {

	private final Path directory;

	private final Path library;

	private final Path journal;

	private final Path control;

	/**
	 * Compiles the library.
	 * @param work directory for the library and its files
	 * @param directory directory on which operations are recorded, created if necessary
	 */
	public PowerCutShim(Path work, Path directory) throws IOException, InterruptedException {
		Files.createDirectories(work);
		this.directory = Files.createDirectories(directory).toRealPath();
		this.library = work.resolve("powercut.so");
		this.journal = work.resolve("journal");
		this.control = work.resolve("control");
		Files.write(this.control, new byte[3 * Integer.BYTES]);
		compile(work.resolve("powercut.c"));
	}

	private void compile(Path source) throws IOException, InterruptedException {
		try (InputStream resource = PowerCutShim.class.getResourceAsStream("powercut.c")) {
			Files.copy(Objects.requireNonNull(resource), source, StandardCopyOption.REPLACE_EXISTING);
		}
		int exitCode = new ProcessBuilder("gcc", "-shared", "-fPIC", "-O1", "-o", this.library.toString(),
				source.toString(), "-ldl", "-lpthread")
			.inheritIO()
			.start()
			.waitFor();
		if (exitCode != 0) {
			throw new IllegalStateException("gcc could not compile " + source);
		}
	}

	/** Returns the environment for a process to record. */
	public Map<String, String> environment() {
		return Map.of("LD_PRELOAD", this.library.toString(), "POWERCUT_DIRECTORY", this.directory.toString(),
				"POWERCUT_JOURNAL", this.journal.toString(), "POWERCUT_CONTROL", this.control.toString());
	}

	/**
	 * Changes the directory of a killed process to what a power failure would leave.
	 * @param cut the power failure, which has seen all earlier processes on the directory
	 */
	public void cut(PowerCut cut) throws IOException {
		cut.replay(JournalRecord.read(this.journal));
		cut.cut(this.directory);
		Files.delete(this.journal);
	}

	public Path directory() {
		return this.directory;
	}

	Path journal() {
		return this.journal;
	}

	/** Sets whether files can grow and new files can be created. */
	void full(boolean full) throws IOException {
		set(0, full ? 1 : 0);
	}

	/** Fails the next forces. */
	void failForces(int count) throws IOException {
		set(1, count);
	}

	/** Fails the next writes. */
	void failWrites(int count) throws IOException {
		set(2, count);
	}

	private void set(int index, int value) throws IOException {
		ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder()).putInt(value).flip();
		try (var channel = Files.newByteChannel(this.control, StandardOpenOption.WRITE)) {
			channel.position((long) index * Integer.BYTES).write(bytes);
		}
	}

}

package io.statestore.broker.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * A node's clocks, which a C library ({@code clocks.c}) moves: the system clock and,
 * separately, the monotonic clock. Without a compiler, tests are skipped.
 */
final class Clocks {

	private final Path library;

	private final Path offsets;

	private Duration system = Duration.ZERO;

	private Duration monotonic = Duration.ZERO;

	private Clocks(Path library, Path offsets) {
		this.library = library;
		this.offsets = offsets;
		write();
	}

	/** Compiles the library. */
	static Path compile(Path directory) throws IOException, InterruptedException {
		Path source = directory.resolve("clocks.c");
		Path library = directory.resolve("clocks.so");
		try (InputStream resource = Clocks.class.getResourceAsStream("clocks.c")) {
			Files.copy(Objects.requireNonNull(resource), source, StandardCopyOption.REPLACE_EXISTING);
		}
		Shell.run("gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library.toString(), source.toString(),
				"-ldl", "-lpthread");
		return library;
	}

	static Clocks of(Path library, Path offsets) {
		return new Clocks(library, offsets);
	}

	/** Returns the environment for a process with these clocks. */
	Map<String, String> environment() {
		return Map.of("LD_PRELOAD", this.library.toString(), "CLOCKS_FILE", this.offsets.toString());
	}

	/** Moves the system clock, forward or back. */
	synchronized void moveSystem(Duration by) {
		this.system = this.system.plus(by);
		write();
	}

	/** Moves the monotonic clock forward. It cannot go back. */
	synchronized void moveMonotonic(Duration by) {
		this.monotonic = this.monotonic.plus(by);
		write();
	}

	private void write() {
		ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES)
			.order(ByteOrder.nativeOrder())
			.putLong(this.system.toNanos())
			.putLong(this.monotonic.toNanos())
			.flip();
		try (FileChannel file = FileChannel.open(this.offsets, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
			file.write(bytes, 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

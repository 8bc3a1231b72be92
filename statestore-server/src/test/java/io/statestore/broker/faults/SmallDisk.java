package io.statestore.broker.faults;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** An in-memory file system that can be filled. */
final class SmallDisk implements AutoCloseable {

	private static final int BLOCK = 1 << 16;

	private final Path directory;

	private final Path filler;

	/**
	 * Mounts a file system. Skips the test if this is not permitted.
	 * @param size size of the file system, such as {@code 256m}
	 */
	SmallDisk(Path directory, String size) throws IOException {
		this.directory = Files.createDirectories(directory);
		this.filler = directory.resolve("filler");
		assumeTrue(Shell.succeeds("mount", "-t", "tmpfs", "-o", "size=" + size, Leftovers.name("disk"),
				directory.toString()), "skipped: file systems cannot be mounted");
	}

	Path directory() {
		return this.directory;
	}

	/** Writes until there is no space left. */
	void fill() throws IOException {
		byte[] block = new byte[BLOCK];
		try (OutputStream out = Files.newOutputStream(this.filler)) {
			while (Files.getFileStore(this.directory).getUsableSpace() > 0) {
				out.write(block);
			}
		}
		catch (IOException ex) {
			if (Files.getFileStore(this.directory).getUsableSpace() > BLOCK) {
				throw ex;
			}
		}
	}

	void free() throws IOException {
		Files.deleteIfExists(this.filler);
	}

	@Override
	public void close() {
		Shell.succeeds("umount", "-l", this.directory.toString());
	}

}

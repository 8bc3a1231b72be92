package io.statestore.broker.artemis.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Files that are written to the disk in intervals. */
class DirectoryForceTests {

	@TempDir
	Path directory;

	private final List<Throwable> failures = new ArrayList<>();

	private final List<Path> forced = new ArrayList<>();

	@Test
	void forcesChangeAfterClockWasSetBack() throws IOException {
		Path file = Files.writeString(this.directory.resolve("file"), "a");
		DirectoryForce task = new DirectoryForce(this.directory, this::failed,
				(path, isFolder) -> this.forced.add(path));
		task.run();
		assertThat(this.forced).contains(file, this.directory);
		task.run();
		this.forced.clear();
		task.run();
		assertThat(this.forced).as("unchanged").isEmpty();
		Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofDays(1))));
		task.run();
		assertThat(this.forced).containsExactly(file);
	}

	@Test
	void reportsFailureOfDisk() throws IOException {
		Files.createSymbolicLink(this.directory.resolve("full"), Path.of("/dev/full"));
		new DirectoryForce(this.directory, this::failed).run();
		assertThat(this.failures).hasSize(1);
	}

	@Test
	void ignoresFileThatWasRemoved() throws IOException {
		Files.createSymbolicLink(this.directory.resolve("gone"), this.directory.resolve("missing"));
		new DirectoryForce(this.directory, this::failed).run();
		assertThat(this.failures).isEmpty();
	}

	private void failed(Throwable cause, String message, @Nullable String file) {
		this.failures.add(cause);
	}

}

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Files that are written to the disk in intervals. */
class DirectoryForceTests {

	@TempDir
	Path directory;

	@TempDir
	Path other;

	private SessionFile sessions;

	private final List<Throwable> failures = new ArrayList<>();

	private final List<Path> forced = new ArrayList<>();

	@BeforeEach
	void openSessions() throws IOException {
		this.sessions = SessionFile.open(this.other.resolve("sessions"), false, () -> 0);
	}

	@AfterEach
	void closeSessions() throws IOException {
		this.sessions.close();
	}

	@Test
	void forcesChangeAfterClockWasSetBack() throws IOException {
		Path file = Files.writeString(this.directory.resolve("file"), "a");
		DirectoryForce task = new DirectoryForce(this.directory, this.sessions, this::failed,
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
		new DirectoryForce(this.directory, this.sessions, this::failed).run();
		assertThat(this.failures).hasSize(1);
	}

	@Test
	void ignoresFileThatWasRemoved() throws IOException {
		Files.createSymbolicLink(this.directory.resolve("gone"), this.directory.resolve("missing"));
		new DirectoryForce(this.directory, this.sessions, this::failed).run();
		assertThat(this.failures).isEmpty();
	}

	@Test
	void ignoresFilesRemovedDuringRun() throws IOException {
		Path folder = Files.createDirectory(this.directory.resolve("large-messages"));
		for (int i = 0; i < 10; i++) {
			Files.createFile(folder.resolve(i + ".msg"));
		}
		Path last = Files.createFile(this.directory.resolve("last"));
		new DirectoryForce(this.directory, this.sessions, this::failed, (path, isFolder) -> {
			this.forced.add(path);
			if (folder.equals(path.getParent())) {
				for (int i = 0; i < 10; i++) {
					Files.deleteIfExists(folder.resolve(i + ".msg"));
				}
			}
		}).run();
		assertThat(this.failures).isEmpty();
		assertThat(this.forced).contains(last).hasSize(4);
	}

	@Test
	void letsSessionsDetectDamage() throws IOException {
		this.sessions.storeClock();
		new DirectoryForce(this.directory, this.sessions, this::failed).run();
		this.sessions.storeClock();
		Path file = this.other.resolve("sessions");
		byte[] content = Files.readAllBytes(file);
		content[RecordFileFormat.HEADER + RecordFileFormat.RECORD_HEADER] ^= 1;
		Files.write(file, content);
		assertThatExceptionOfType(DamagedSessionsException.class)
			.isThrownBy(() -> SessionFile.open(file, false, () -> 0));
	}

	private void failed(Throwable cause, String message, @Nullable String file) {
		this.failures.add(cause);
	}

}

package io.statestore.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.client.Key;
import io.statestore.dafka.store.storage.Engine;
import io.statestore.dafka.store.storage.RocksEngine;
import io.statestore.dafka.store.storage.StorageException;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Journals whose disk fails. */
@Tag("long")
@Timeout(120)
class JournalFailureTests {

	private static final Bytes KEY = Bytes.of("k");

	@TempDir
	Path directory;

	private volatile boolean failBefore;

	private volatile boolean failAfter;

	private volatile boolean failRemove;

	private volatile int removals;

	private volatile int forces;

	@Test
	void writesChangesOnceAfterFailure() throws Exception {
		try (HistoryJournal journal = HistoryJournal.builder(this.directory)
			.start(() -> new FailingEngine(RocksEngine.open(this.directory)))) {
			journal.write(List.of(TestChanges.start(1)));
			for (int i = 0; i < 10; i++) {
				this.failBefore = i % 2 == 0;
				this.failAfter = i % 2 == 1;
				List<io.statestore.broker.server.Change> changes = List.of(
						TestChanges.set(KEY, "a" + i, TestChanges.version(10 * i + 10)),
						TestChanges.set(KEY, "b" + i, TestChanges.version(10 * i + 11)));
				assertThatExceptionOfType(StorageException.class).isThrownBy(() -> journal.write(changes));
				assertThat(journal.size()).as("not reported before it is certain").isEqualTo(2 * i + 1);
				this.failBefore = false;
				this.failAfter = false;
				journal.write(changes);
				assertThat(journal.size()).isEqualTo(2 * i + 3);
			}
			assertThat(Changes.all(journal).stream().skip(1).map((change) -> change.value().toUtf8()).toList())
				.containsExactly("a0", "b0", "a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4", "a5", "b5", "a6", "b6",
						"a7", "b7", "a8", "b8", "a9", "b9");
		}
	}

	@Test
	void writesChangesOnceWhenRetentionFails() throws Exception {
		try (HistoryJournal journal = HistoryJournal.builder(this.directory)
			.retentionBytes(1)
			.start(() -> new FailingEngine(RocksEngine.open(this.directory)))) {
			journal.write(List.of(TestChanges.start(1)));
			String large = "x".repeat(3_000_000);
			// Retention runs every ten seconds.
			this.failRemove = true;
			long end = System.nanoTime() + Changes.PATIENCE.toNanos();
			int written = 1;
			for (; this.removals == 0; written++) {
				assertThat(System.nanoTime()).isLessThan(end);
				String value = (written < 3) ? large : "small";
				journal.write(List.of(TestChanges.set(KEY, value, TestChanges.version(10 + written))));
				assertThat(journal.size()).isEqualTo(written + 1);
				Thread.sleep(100);
			}
			this.failRemove = false;
			assertThat(Changes.all(journal)).as("readers continue").hasSize(written);
			journal.write(List.of(TestChanges.set(KEY, "last", TestChanges.version(1_000))));
			assertThat(journal.size()).isEqualTo(written + 1);
			assertThat(Changes.all(journal)).extracting(HistoryChange::version).isSorted().doesNotHaveDuplicates();
		}
	}

	@Test
	void refusesDiskThatLostChanges() {
		Path[] where = { this.directory.resolve("disk") };
		try (HistoryJournal journal = HistoryJournal.builder(this.directory)
			.start(() -> new FailingEngine(RocksEngine.open(where[0])))) {
			journal.write(List.of(TestChanges.start(1)));
			List<io.statestore.broker.server.Change> changes = List
				.of(TestChanges.set(KEY, "a", TestChanges.version(10)));
			// Like a mount point whose disk is missing.
			where[0] = this.directory.resolve("empty");
			this.failBefore = true;
			assertThatExceptionOfType(StorageException.class).isThrownBy(() -> journal.write(changes));
			this.failBefore = false;
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(HistoryException.class).isThrownBy(() -> journal.write(changes))
					.withMessageContaining("has 0 changes, although 1 were written");
			}
			where[0] = this.directory.resolve("disk");
			journal.write(changes);
			assertThat(journal.size()).isEqualTo(2);
		}
	}

	@Test
	void brokerStartsAgainAfterFailedWriteOfStart() throws Exception {
		try (HistoryJournal journal = HistoryJournal.builder(this.directory)
			.start(() -> new FailingEngine(RocksEngine.open(this.directory)))) {
			new StateStoreServer(StateStoreServerOptions.defaults().withJournal(journal)).close();
			for (int i = 0; i < 2; i++) {
				this.failBefore = i == 0;
				this.failAfter = i == 1;
				assertThatExceptionOfType(StorageException.class)
					.isThrownBy(() -> new StateStoreServer(StateStoreServerOptions.defaults().withJournal(journal)));
			}
			this.failAfter = false;
			new StateStoreServer(StateStoreServerOptions.defaults().withJournal(journal)).close();
			List<HistoryChange> changes = Changes.all(journal);
			assertThat(changes).extracting(HistoryChange::version).isSorted().doesNotHaveDuplicates();
			assertThat(changes).as("the second failure was none for the disk").hasSize(3);
		}
	}

	@Test
	void forcesOnlyCompleteJournal() {
		Path[] where = { this.directory.resolve("disk") };
		try (HistoryJournal journal = HistoryJournal.builder(this.directory)
			.start(() -> new FailingEngine(RocksEngine.open(where[0])))) {
			journal.write(List.of(TestChanges.start(1)));
			assertThat(this.forces).isZero();
			journal.force();
			assertThat(this.forces).isEqualTo(1);
			where[0] = this.directory.resolve("empty");
			this.failBefore = true;
			assertThatExceptionOfType(StorageException.class).isThrownBy(journal::force);
			this.failBefore = false;
			assertThatExceptionOfType(HistoryException.class).isThrownBy(journal::force)
				.withMessageContaining("has 0 changes, although 1 were written");
			where[0] = this.directory.resolve("disk");
			journal.force();
			assertThat(this.forces).isEqualTo(2);
		}
	}

	/** Uses a full file system, which requires the permission to mount it. */
	@Test
	void storeServesWhileDiskOfHistoryIsFull() throws Exception {
		Path disk = Files.createDirectory(this.directory.resolve("disk"));
		assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", disk.toString()), "may not mount");
		try {
			Path ballast = disk.resolve("ballast");
			try (HistoryJournal journal = HistoryJournal.builder(disk.resolve("journal")).start();
					StateStoreBroker broker = StateStoreBroker.builder().journal(journal).start();
					Client client = new Client(broker.port(), "oven")) {
				client.template.set(Key.of(KEY), Bytes.of("before"));
				fill(ballast);
				Bytes large = Bytes.wrap(new byte[100_000]);
				for (int i = 0; i < 500; i++) {
					client.template.set(Key.of("large/" + i), large);
				}
				client.template.set(Key.of(KEY), Bytes.of("after"));
				assertThat(client.template.get(Key.of(KEY), Bytes.class).orElseThrow().value().toUtf8())
					.isEqualTo("after");
				assertThat(journal.size()).isLessThan(502);
				Files.delete(ballast);
				await("the history").ignoreExceptions()
					.untilAsserted(() -> RebuildTests.equalsTheStore(journal.history().rebuild(), client.template));
				assertThat(Changes.all(journal)).extracting(HistoryChange::version).isSorted();
			}
		}
		finally {
			run("umount", "-l", disk.toString());
		}
	}

	private static void fill(Path file) throws IOException {
		byte[] block = new byte[4096];
		try (var out = Files.newOutputStream(file)) {
			while (true) {
				out.write(block);
			}
		}
		catch (IOException ex) {
			// Full.
		}
	}

	private static boolean run(String... command) {
		try {
			return new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start()
				.waitFor() == 0;
		}
		catch (IOException | InterruptedException ex) {
			return false;
		}
	}

	/** RocksDB that reports a failure before or after a write. */
	private final class FailingEngine implements Engine {

		private final Engine engine;

		FailingEngine(Engine engine) {
			this.engine = engine;
		}

		@Override
		public void write(List<Entry> entries, boolean sync) {
			if (JournalFailureTests.this.failBefore) {
				throw new StorageException("no room", null);
			}
			this.engine.write(entries, sync);
			if (sync) {
				JournalFailureTests.this.forces++;
			}
			if (JournalFailureTests.this.failAfter) {
				throw new StorageException("who knows", null);
			}
		}

		@Override
		public @Nullable Entry floor(byte[] key) {
			return this.engine.floor(key);
		}

		@Override
		public void scan(byte[] from, Visitor visitor) {
			this.engine.scan(from, visitor);
		}

		@Override
		public void remove(List<Range> ranges) {
			if (JournalFailureTests.this.failRemove) {
				JournalFailureTests.this.removals++;
				throw new StorageException("cannot remove", null);
			}
			this.engine.remove(ranges);
		}

		@Override
		public String location() {
			return this.engine.location();
		}

		@Override
		public void close() {
			this.engine.close();
		}

	}

}

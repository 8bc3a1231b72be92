package io.statestore.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.stream.Stream;

import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.engine.LogEntryCodec;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogException;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.server.DurabilityStatistics;
import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.StorageOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A broker with a directory. */
class DurableBrokerTests {

	@TempDir
	Path directory;

	private StateStoreBrokerBuilder builder() {
		return StateStoreBroker.builder().storage(StorageOptions.in(this.directory.resolve("store")));
	}

	@Test
	void keepsValuesAcrossRestart() throws Exception {
		try (StateStoreBroker broker = builder().start();
				StoreClient client = StoreClient.connect(broker.port(), "client")) {
			client.call("SET", "k", "v");
			assertThat(broker.durability()).map(DurabilityStatistics::directory)
				.contains(this.directory.resolve("store"));
		}
		try (StateStoreBroker broker = builder().start();
				StoreClient client = StoreClient.connect(broker.port(), "client")) {
			assertThat(Resp.text(client.call("GET", "k"))).isEqualTo("$1⏎v⏎");
			DurabilityStatistics durability = broker.durability().orElseThrow();
			assertThat(durability.recoveredEntries()).isPositive();
			assertThat(durability.appliedIndex()).isEqualTo(durability.lastIndex());
			assertThat(durability.writable()).isTrue();
		}
	}

	@Test
	void logContainsSessionLimits() {
		builder().limits((limits) -> limits.withClientMemory(8 << 20).withMemoryPerClient(1 << 20)).start().close();
		StateMachine machine = new StateMachine((key, value, version, author) -> {
		});
		LogOptions options = new LogOptions(Fsync.ALWAYS, Duration.ofSeconds(1), LogOptions.SEGMENT_BYTES);
		try (FileLog log = FileLog.open(this.directory.resolve("store"), options)) {
			log.replay((first, entries) -> entries.forEach((entry) -> machine.apply(LogEntryCodec.decode(entry))));
		}
		assertThat(machine.quota().sessionMemory()).isEqualTo(4 << 20);
		assertThat(machine.quota().memoryPerSession()).isEqualTo(1 << 20);
	}

	@Test
	@EnabledOnOs({ OS.LINUX, OS.MAC })
	void onlyOwnerCanUseDirectories() throws IOException {
		builder().start().close();
		try (Stream<Path> files = Files.walk(this.directory.resolve("store"))) {
			assertThat(files.filter(Files::isDirectory)).hasSize(3)
				.extracting((file) -> PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
				.containsOnly("rwx------");
		}
		assertThat(Files.getPosixFilePermissions(this.directory.resolve("store/store")))
			.containsExactlyInAnyOrder(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
	}

	@Test
	void refusesDirectoryInUse() {
		try (StateStoreBroker broker = builder().start()) {
			assertThatExceptionOfType(LogException.class).isThrownBy(() -> builder().start())
				.withMessageContaining(this.directory.toString());
			assertThat(broker.failure()).isEmpty();
		}
		builder().start().close();
	}

	@Test
	void hasNoDurabilityWithoutDirectory() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
			assertThat(broker.durability()).isEmpty();
		}
	}

}

package io.statestore.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;

import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.log.LogException;
import io.statestore.broker.server.DurabilityStatistics;
import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.StorageOptions;
import org.apache.activemq.artemis.core.io.IOCriticalErrorListener;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

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
	@EnabledOnOs({ OS.LINUX, OS.MAC })
	void onlyOwnerCanUseDirectories() throws IOException {
		builder().start().close();
		try (Stream<Path> files = Files.walk(this.directory.resolve("store"))) {
			assertThat(files.filter(Files::isDirectory)).hasSizeGreaterThan(4)
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
	void knowsThatMqttJournalHasFailed() {
		try (StateStoreBroker broker = builder().start()) {
			assertThat(broker.durability().orElseThrow().mqttFailed()).isFalse();
			assertThat(broker)
				.extracting("running.mqtt.artemis.disk", InstanceOfAssertFactories.type(IOCriticalErrorListener.class))
				.satisfies((disk) -> disk.onIOException(new IOException("broken"), "write", null));
			DurabilityStatistics durability = broker.durability().orElseThrow();
			assertThat(durability.mqttFailed()).isTrue();
			assertThat(durability.writable()).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource
	void detectsDamageToSessionsAfterStop(Fsync fsync) throws IOException {
		StateStoreBrokerBuilder builder = StateStoreBroker.builder()
			.storage(StorageOptions.in(this.directory.resolve("store")).withFsync(fsync));
		builder.start().close();
		builder.start().close();
		Path sessions = this.directory.resolve("store/mqtt/sessions");
		byte[] content = Files.readAllBytes(sessions);
		// Behind the headers of the file and of its first record.
		content[20 + 16] ^= 1;
		Files.write(sessions, content);
		assertThatIllegalStateException().isThrownBy(builder::start)
			.withMessageContaining("The file of the MQTT sessions is damaged");
	}

	@Test
	void hasNoDurabilityWithoutDirectory() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
			assertThat(broker.durability()).isEmpty();
		}
	}

}

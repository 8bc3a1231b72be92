package io.statestore.broker;

import java.nio.file.Path;

import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.log.LogException;
import io.statestore.broker.server.DurabilityStatistics;
import io.statestore.broker.storage.StorageOptions;
import org.junit.jupiter.api.Test;
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

package io.statestore.client.watch;

import java.util.List;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class WatchReconnectTests extends WatchEndToEndFixture {

	@Test
	void deliversOnlyChangedKeysAfterReconnect() {
		this.writer.template.set("changed", "1");
		this.writer.template.set("deleted", "1");
		this.writer.template.set("same", "1");
		for (String key : List.of("changed", "deleted", "same", "absent")) {
			this.watcher.template.watch(key, String.class, this.delivered::add);
		}
		this.proxy.block();
		await("the end of the connection").until(() -> !this.watcher.connection.isConnected());
		this.writer.template.set("changed", "2");
		Version changed = this.writer.template.set("changed", "3").version();
		Version deleted = this.writer.template.delete("deleted").version();
		this.proxy.unblock();
		awaitDelivered(2);
		assertThat(this.delivered).filteredOn((change) -> change.key().equals(Key.of("changed")))
			.containsExactly(new KeyChange<>(Key.of("changed"), Operation.SET, "3", changed, true));
		assertThat(this.delivered).filteredOn((change) -> change.key().equals(Key.of("deleted")))
			.singleElement()
			.satisfies((change) -> {
				assertThat(change.operation()).isEqualTo(Operation.DELETE);
				assertThat(change.resynchronized()).isTrue();
				assertThat(change.version()).isLessThanOrEqualTo(deleted);
			});
		this.delivered.clear();
		for (String key : List.of("changed", "deleted", "same", "absent")) {
			this.writer.template.set(key, "live");
		}
		awaitDelivered(4);
		assertThat(this.delivered).hasSize(4)
			.allMatch((change) -> "live".equals(change.value()) && !change.resynchronized());
	}

	@Test
	void deliversDeletionsAfterRestartWithoutData() {
		this.watcher.template.watch("key", String.class, this.delivered::add);
		this.writer.template.set("key", "1");
		awaitDelivered(1);
		int port = this.broker.port();
		this.broker.close();
		this.broker = StateStoreBroker.builder().port(port).start();
		awaitDelivered(2);
		assertThat(last().operation()).isEqualTo(Operation.DELETE);
		assertThat(last().resynchronized()).isTrue();
		await("the writer").until(this.writer.connection::isConnected);
		this.writer.template.set("key", "2");
		awaitDelivered(3);
		assertThat(last().value()).isEqualTo("2");
		assertThat(this.delivered.stream().map(KeyChange::version)).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void deliversMissedChangeAfterStopAndStart() {
		this.watcher.template.watch("key", String.class, this.delivered::add);
		this.watcher.connection.stop();
		this.writer.template.set("key", "meanwhile");
		this.watcher.connection.start();
		awaitDelivered(1);
		assertThat(last().value()).isEqualTo("meanwhile");
	}

	@Test
	void startsOnceConnected() {
		this.proxy.block();
		await("the end of the connection").until(() -> !this.watcher.connection.isConnected());
		KeyWatch watch = this.watcher.template.async().watch(Key.of("key"), String.class, (spec) -> {
		}, this.delivered::add);
		assertThat(watch.started()).isNotDone();
		this.proxy.unblock();
		watch.started().join();
		this.writer.template.set("key", "1");
		awaitDelivered(1);
	}

}

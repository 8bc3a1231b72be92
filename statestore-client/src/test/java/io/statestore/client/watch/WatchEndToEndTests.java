package io.statestore.client.watch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch;
import io.statestore.client.WatchSpec;
import io.statestore.client.SetResult;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

class WatchEndToEndTests extends WatchEndToEndFixture {

	@Test
	void deliversChangesByOtherClientsInOrder() {
		this.writer.template.set("key", "before");
		KeyWatch watch = this.watcher.template.watch("key", String.class, this.delivered::add);
		assertThat(watch.isActive()).isTrue();
		SetResult first = this.writer.template.set("key", "1");
		this.writer.template.set("other", "x");
		Version deleted = this.writer.template.delete("key").version();
		this.writer.template.set("key", "2", (spec) -> spec.expire(Duration.ofMillis(100)));
		awaitDelivered(4);
		assertThat(this.delivered.get(0))
			.isEqualTo(new KeyChange<>(Key.of("key"), Operation.SET, "1", first.version(), false));
		assertThat(this.delivered.get(1).operation()).isEqualTo(Operation.DELETE);
		assertThat(this.delivered.get(1).version()).isEqualTo(deleted);
		assertThat(this.delivered.get(1).optionalValue()).isEmpty();
		assertThat(this.delivered.get(2).value()).isEqualTo("2");
		assertThat(this.delivered.get(3).operation()).isEqualTo(Operation.DELETE);
		assertThat(this.delivered).noneMatch(KeyChange::resynchronized);
	}

	@Test
	void deliversNothingAfterClose() {
		KeyWatch watch = this.watcher.template.watch("key", String.class, this.delivered::add);
		watch.closeAsync().join();
		assertThat(watch.isActive()).isFalse();
		await("STOP").until(() -> this.watcher.commands.stream().anyMatch(Command.KeyNotifyStop.class::isInstance));
		this.writer.template.set("key", "1");
		// Notifications sent before this reply would have arrived.
		this.watcher.template.get("key", String.class);
		assertThat(this.delivered).isEmpty();
		this.watcher.template.watch("key", String.class, this.delivered::add);
		this.writer.template.set("key", "2");
		awaitDelivered(1);
		assertThat(last().value()).isEqualTo("2");
	}

	@Test
	void listenersForOneKeyShareWatch() {
		KeyWatch first = this.watcher.template.watch("key", String.class, (change) -> {
		});
		this.watcher.template.watch("key", String.class, this.delivered::add);
		first.close();
		this.writer.template.set("key", "1");
		awaitDelivered(1);
		assertThat(this.watcher.commands).noneMatch(Command.KeyNotifyStop.class::isInstance);
	}

	@Test
	void deliversCurrentValueFirst() {
		Version version = this.writer.template.set("key", "current").version();
		this.watcher.template.watch("key", String.class, WatchSpec::initial, this.delivered::add);
		this.watcher.template.watch("absent", String.class, WatchSpec::initial, this.delivered::add);
		awaitDelivered(1);
		assertThat(last()).isEqualTo(new KeyChange<>(Key.of("key"), Operation.SET, "current", version, true));
		List<KeyChange<String>> late = new CopyOnWriteArrayList<>();
		this.watcher.template.watch("key", String.class, WatchSpec::initial, late::add);
		await("the initial value of a second listener").until(() -> late.size() == 1);
		this.writer.template.set("key", "next");
		awaitDelivered(2);
		assertThat(last().resynchronized()).isFalse();
	}

	@Test
	void omitsLocalWrites() {
		KeyWatch watch = this.watcher.template.watch("key", String.class, WatchSpec::noLocal, this.delivered::add);
		Set<Version> own = new HashSet<>();
		Set<Version> foreign = new HashSet<>();
		for (int i = 0; i < 100; i++) {
			List<CompletableFuture<SetResult>> mine = new ArrayList<>();
			for (int j = 0; j < 5; j++) {
				mine.add(this.watcher.template.async().set("key", "own"));
			}
			foreign.add(this.writer.template.set("key", "foreign").version());
			mine.forEach((write) -> own.add(write.join().version()));
			if (i % 10 == 0) {
				own.add(this.watcher.template.delete("key").version());
			}
		}
		awaitDelivered(foreign.size());
		assertThat(watch.isActive()).isTrue();
		assertThat(own).hasSize(510);
		assertThat(this.delivered.stream().map(KeyChange::version)).containsExactlyInAnyOrderElementsOf(foreign)
			.isSorted();
	}

	@Test
	void omitsLocalIncrements() {
		this.watcher.template.watch("key", String.class, WatchSpec::noLocal, this.delivered::add);
		for (int i = 0; i < 100; i++) {
			this.watcher.template.increment("key", (i % 2 == 0) ? -7 : 7);
		}
		this.writer.template.set("key", "foreign");
		awaitDelivered(1);
		assertThat(this.delivered).extracting(KeyChange::value).containsExactly("foreign");
	}

	@Test
	void deliversSelectedOperationsOnly() {
		this.watcher.template.watch("key", String.class, (spec) -> spec.only(Operation.DELETE), this.delivered::add);
		this.writer.template.set("key", "1");
		this.writer.template.delete("key");
		awaitDelivered(1);
		assertThat(this.delivered).extracting(KeyChange::operation).containsExactly(Operation.DELETE);
	}

	@Test
	void reportsWhyKeyCannotBeWatched() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.watcher.template.watch(Key.of(new byte[32_701]), String.class, this.delivered::add))
			.withMessageContaining("32701 bytes")
			.withMessageContaining("at most 32700");
		assertThatIllegalStateException()
			.isThrownBy(() -> new StateStoreTemplate((command, options) -> new CompletableFuture<>()).watch("key",
					String.class, this.delivered::add))
			.withMessageContaining("KeyWatches");
		this.proxy.block();
		await("the end of the connection").until(() -> !this.watcher.connection.isConnected());
		assertThatExceptionOfType(StateStoreNotSentException.class)
			.isThrownBy(() -> this.watcher.template.withTimeout(Duration.ofMillis(50))
				.watch("key", String.class, this.delivered::add))
			.withMessageContaining("Key 'key' is not watched");
		this.proxy.unblock();
		await("the connection").until(this.watcher.connection::isConnected);
		this.writer.template.set("key", "1");
		this.watcher.template.get("key", String.class);
		assertThat(this.delivered).isEmpty();
	}

}

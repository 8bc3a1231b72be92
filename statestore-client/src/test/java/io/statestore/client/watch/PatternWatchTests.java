package io.statestore.client.watch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.client.CommandInvoker;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Watches of all keys that match a pattern. */
class PatternWatchTests extends WatchEndToEndFixture {

	private static final String PATTERN = "machines/*/temperature";

	private List<String> texts() {
		return this.delivered.stream()
			.map((change) -> change.key() + "=" + change.value() + (change.resynchronized() ? " (resynchronized)" : ""))
			.toList();
	}

	@Test
	void deliversChangesToMatchingKeys() {
		this.writer.template.set("machines/1/temperature", "20");
		this.watcher.template.watch(PATTERN, String.class, this.delivered::add);
		this.writer.template.set("machines/1/temperature", "21");
		this.writer.template.set("machines/1/pressure", "1");
		this.writer.template.set("machines/hall/2/temperature", "22");
		this.writer.template.delete("machines/1/temperature");
		this.writer.template.set("machines/1/temperature", "23");
		awaitDelivered(4);
		assertThat(this.delivered).hasSize(4);
		assertThat(texts()).containsSubsequence("machines/1/temperature=21", "machines/1/temperature=null",
				"machines/1/temperature=23");
		assertThat(texts()).contains("machines/hall/2/temperature=22");
	}

	@Test
	void deliversInitialValues() {
		for (int i = 0; i < 2_500; i++) {
			this.writer.template.async().set("machines/" + i + "/temperature", "" + i);
		}
		this.writer.template.set("machines/last/temperature", "last");
		this.watcher.template.watch(PATTERN, String.class, (spec) -> spec.initial(), this.delivered::add);
		awaitDelivered(2_501);
		assertThat(this.delivered).hasSize(2_501).allMatch(KeyChange::resynchronized);
	}

	@Test
	void eachListenerReceivesChangeOnce() {
		List<KeyChange<String>> others = new CopyOnWriteArrayList<>();
		this.watcher.template.watch("machines/1/temperature", String.class, others::add);
		this.watcher.template.watch("machines/*", String.class, this.delivered::add);
		this.watcher.template.watch("*/temperature", String.class, others::add);
		this.writer.template.set("machines/1/temperature", "1");
		this.writer.template.set("machines/1/temperature", "2");
		await("the changes").until(() -> others.size() >= 4 && this.delivered.size() >= 2);
		this.writer.template.set("machines/end", "x");
		awaitDelivered(3);
		assertThat(texts()).containsExactlyInAnyOrder("machines/1/temperature=1", "machines/1/temperature=2",
				"machines/end=x");
		assertThat(others).hasSize(4).noneMatch(KeyChange::resynchronized);
	}

	@Test
	void deliversChangesMadeDuringOutage() {
		for (String key : List.of("changed", "deleted", "same", "gone")) {
			this.writer.template.set("machines/" + key + "/temperature", "1");
		}
		this.writer.template.delete("machines/gone/temperature");
		KeyWatch watch = this.watcher.template.watch(PATTERN, String.class, this.delivered::add);
		this.proxy.block();
		await("the end of the watch").until(() -> !watch.isActive());
		this.writer.template.set("machines/changed/temperature", "2");
		this.writer.template.set("machines/created/temperature", "1");
		this.writer.template.delete("machines/deleted/temperature");
		this.proxy.unblock();
		awaitDelivered(3);
		await("the watch").until(watch::isActive);
		this.writer.template.set("machines/same/temperature", "live");
		awaitDelivered(4);
		assertThat(texts()).containsExactlyInAnyOrder("machines/changed/temperature=2 (resynchronized)",
				"machines/created/temperature=1 (resynchronized)", "machines/deleted/temperature=null (resynchronized)",
				"machines/same/temperature=live");
	}

	@Test
	void twoListenersForOnePatternAreIndependent() {
		List<KeyChange<String>> others = new CopyOnWriteArrayList<>();
		KeyWatch watch = this.watcher.template.watch(PATTERN, String.class, others::add);
		KeyWatch same = this.watcher.template.watch(PATTERN, String.class, this.delivered::add);
		KeyWatch equivalent = this.watcher.template.watch("machines/**/temperature", String.class, others::add);
		this.proxy.block();
		await("the end of the watches").until(() -> !watch.isActive() && !same.isActive() && !equivalent.isActive());
		this.writer.template.set("machines/created/temperature", "1");
		this.proxy.unblock();
		awaitDelivered(1);
		await("both").until(() -> others.size() == 2);
		equivalent.close();
		watch.close();
		this.watcher.template.set("order", "later than the end of the watches");
		this.writer.template.set("machines/created/temperature", "2");
		awaitDelivered(2);
		assertThat(texts()).containsExactly("machines/created/temperature=1 (resynchronized)",
				"machines/created/temperature=2");
		assertThat(others).hasSize(2);
	}

	@Test
	void refusesLongPattern() {
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> this.watcher.template.watch("a*".repeat(200), String.class, this.delivered::add))
			.withMessageContaining("256");
		Command command = new Command.PatternNotify(Bytes.of("k".repeat(60_000)));
		assertThat(this.watcher.connection.invoke(command, CommandInvoker.Options.DEFAULT))
			.failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(StateStoreRefusedException.class);
	}

	@Test
	void omitsLocalWrites() {
		this.watcher.template.watch(PATTERN, String.class, (spec) -> spec.noLocal(), this.delivered::add);
		this.watcher.template.set("machines/1/temperature", "local");
		this.writer.template.set("machines/1/temperature", "remote");
		awaitDelivered(1);
		assertThat(texts()).containsExactly("machines/1/temperature=remote");
	}

	@Test
	void closedWatchEnds() throws Exception {
		KeyWatch watch = this.watcher.template.watch(PATTERN, String.class, this.delivered::add);
		assertThat(watch.key()).isEqualTo(Key.of(PATTERN));
		this.writer.template.set("machines/1/temperature", "1");
		awaitDelivered(1);
		watch.closeAsync().get();
		await("the forgotten keys").until(() -> this.watcher.watches.watchedKeys() == 0);
		this.watcher.template.watch("end", String.class, this.delivered::add);
		this.writer.template.set("machines/1/temperature", "2");
		this.writer.template.set("end", "x");
		awaitDelivered(2);
		assertThat(texts()).containsExactly("machines/1/temperature=1", "end=x");
	}

	@Test
	void renewalReadsNoKeyAndForgetsDeletedKeys() {
		try (TestClient client = new TestClient(this.broker.port(),
				WatchOptions.DEFAULT.withRenewal(Duration.ofSeconds(1)))
			.start()) {
			this.writer.template.set("machines/1/temperature", "1");
			client.template.watch(PATTERN, String.class, this.delivered::add);
			this.writer.template.set("machines/2/temperature", "2");
			this.writer.template.delete("machines/2/temperature");
			awaitDelivered(2);
			assertThat(client.watches.watchedKeys()).isEqualTo(2);
			long reads = reads(client);
			await("two renewals").until(() -> client.watches.watchedKeys() == 1);
			assertThat(reads(client)).isEqualTo(reads);
			this.writer.template.set("machines/2/temperature", "3");
			awaitDelivered(3);
			assertThat(last().operation()).isEqualTo(Operation.SET);
			assertThat(last().resynchronized()).isFalse();
		}
	}

	private static long reads(TestClient client) {
		return client.commands.stream().filter((command) -> command instanceof Command.Read).count();
	}

	@Test
	void prefixBelongsToPattern() {
		this.watcher.withKeyPrefix("line-1/").template.watch("*", String.class, this.delivered::add);
		this.writer.template.set("line-2/a", "1");
		this.writer.template.set("line-1/a", "2");
		awaitDelivered(1);
		assertThat(texts()).containsExactly("a=2");
	}

	@Test
	void refusesMalformedPattern() {
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> this.watcher.template.watch("machines/[", String.class, this.delivered::add))
			.withMessageContaining("'pattern' is 'machines/['");
	}

}

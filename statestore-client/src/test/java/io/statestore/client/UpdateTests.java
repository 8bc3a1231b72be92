package io.statestore.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Compare and set, updates, and counters with a real server. */
@Timeout(60)
class UpdateTests {

	private static final String KEY = "line/count";

	private final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final List<StateStoreConnection> connections = new ArrayList<>();

	private StateStoreTemplate template;

	@BeforeEach
	void connect() {
		this.template = newTemplate();
	}

	@AfterEach
	void close() {
		this.connections.forEach(StateStoreConnection::stop);
		this.broker.close();
	}

	private StateStoreTemplate newTemplate() {
		StateStoreConnection connection = new StateStoreConnection(
				ConnectionOptions.builder().host(this.broker.host()).port(this.broker.port()).build());
		this.connections.add(connection);
		connection.start();
		return new StateStoreTemplate(connection);
	}

	@Test
	void replacesOnlyCurrentVersion() {
		Version first = this.template.set(KEY, "1").version();
		Version second = this.template.replace(KEY, "2", first).orElseThrow();
		assertThat(second).isGreaterThan(first);
		assertThat(this.template.replace(KEY, "3", first)).isEmpty();
		assertThat(this.template.getValue(KEY, String.class)).contains("2");
		this.template.delete(KEY);
		assertThat(this.template.replace(KEY, "3", second)).isEmpty();
		assertThat(this.template.exists(KEY)).isFalse();
	}

	@Test
	void updateCreatesChangesAndDeletes() {
		assertThat(this.template.update(KEY, String.class, (value) -> Optional.of(value.orElse("none") + "!")))
			.contains("none!");
		assertThat(this.template.update(KEY, String.class, (value) -> value.map((text) -> text + '?')))
			.contains("none!?");
		assertThat(this.template.update(KEY, String.class, (value) -> Optional.empty())).isEmpty();
		assertThat(this.template.exists(KEY)).isFalse();
		assertThat(this.template.update(KEY, String.class, (value) -> value)).isEmpty();
	}

	@Test
	void updateRestartsAfterAnotherWrite() {
		this.template.set(KEY, "a");
		AtomicInteger calls = new AtomicInteger();
		Optional<String> updated = this.template.update(KEY, String.class, (value) -> {
			if (calls.incrementAndGet() == 1) {
				this.template.set(KEY, "b");
			}
			return value.map((text) -> text + '!');
		});
		assertThat(updated).contains("b!");
		assertThat(calls).hasValue(2);
	}

	@Test
	void updateKeepsExpiry() {
		this.template.set(KEY, "1", (spec) -> spec.expire(Duration.ofMillis(500)));
		assertThat(this.template.increment(KEY, 1)).isEqualTo(2);
		await("the expiry").until(() -> !this.template.exists(KEY));
	}

	@Test
	void returnsTimeToLive() {
		assertThat(this.template.timeToLive(KEY)).isEmpty();
		this.template.set(KEY, "1");
		assertThat(this.template.timeToLive(KEY)).isEmpty();
		this.template.set(KEY, "1", (spec) -> spec.expire(Duration.ofHours(1)));
		Duration first = this.template.timeToLive(KEY).orElseThrow();
		assertThat(first).isBetween(Duration.ofMinutes(58), Duration.ofHours(1));
		await("a shorter time").until(() -> this.template.timeToLive(KEY).orElseThrow().compareTo(first) < 0);
	}

	@Test
	void updateIsFenced() {
		FencingToken older = new FencingToken(this.template.set("lock", "a").version());
		FencingToken newer = new FencingToken(this.template.set("lock", "b").version());
		assertThat(this.template.fencedBy(newer).increment(KEY, 5)).isEqualTo(5);
		assertThat(this.template.fencedBy(newer).increment(KEY, 5)).isEqualTo(10);
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.template.fencedBy(older).increment(KEY, 5));
		assertThatExceptionOfType(StateStoreRefusedException.class).isThrownBy(() -> this.template.increment(KEY, 5))
			.satisfies((refused) -> assertThat(refused.reason()).isEqualTo(ErrorReason.FENCING_TOKEN_REQUIRED));
		assertThat(this.template.getValue(KEY, String.class)).contains("10");
	}

	@Test
	void losesNoIncrementsFromManyClients() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(8);
		List<Future<?>> clients = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			StateStoreTemplate client = newTemplate();
			clients.add(threads.submit(() -> {
				for (int n = 0; n < 100; n++) {
					client.increment(KEY, 3);
				}
			}));
		}
		for (Future<?> client : clients) {
			client.get();
		}
		threads.shutdown();
		assertThat(this.template.increment(KEY, -1)).isEqualTo(8 * 100 * 3 - 1);
	}

	@Test
	void refusesToIncrementNonNumber() {
		this.template.set(KEY, "many");
		assertNotANumber();
		this.template.set(KEY, Long.toString(Long.MAX_VALUE));
		assertNotANumber();
		assertThat(this.template.getValue(KEY, String.class)).contains(Long.toString(Long.MAX_VALUE));
	}

	private void assertNotANumber() {
		assertThatExceptionOfType(StateStoreRefusedException.class).isThrownBy(() -> this.template.increment(KEY, 1))
			.withMessageContaining("line/count")
			.withMessageContaining("Set it to a whole number")
			.satisfies((refused) -> assertThat(refused.reason()).isEqualTo(ErrorReason.NOT_A_NUMBER));
	}

	@Test
	void incrementNeedsOneRequest() {
		long before = this.broker.statistics().store().requests();
		this.template.increment(KEY, 1);
		assertThat(this.broker.statistics().store().requests()).isEqualTo(before + 1);
	}

	@Test
	void storesCounterAsJsonNumber() {
		StateStoreTemplate json = new StateStoreTemplate(this.connections.get(0),
				new JacksonValueConverter(JsonMapper.builder().build()));
		json.set(KEY, 41);
		assertThat(json.increment(KEY, 1)).isEqualTo(42);
		assertThat(json.getValue(KEY, Integer.class)).contains(42);
	}

}

package io.statestore.client.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.watch.TestClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.metadata.ConcurrentMetadataStore;
import org.springframework.integration.selector.MetadataStoreSelector;
import org.springframework.messaging.support.GenericMessage;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Behavior of Spring Integration's metadata stores, in two processes. */
@Timeout(60)
class StateStoreMetadataStoreTests {

	private static final AtomicInteger prefixes = new AtomicInteger();

	private static final StateStoreBroker broker = StateStoreBroker.builder().start();

	private static final TestClient client = new TestClient(broker.port()).start();

	private static final TestClient other = new TestClient(broker.port()).start();

	private final String prefix = "test" + prefixes.incrementAndGet() + "/";

	private final ConcurrentMetadataStore store = store(client);

	private final ConcurrentMetadataStore elsewhere = store(other);

	@AfterAll
	static void close() {
		client.close();
		other.close();
		broker.close();
	}

	private StateStoreMetadataStore store(TestClient client) {
		return new StateStoreMetadataStore(client.template, new StateStoreLockRegistry(client.template), this.prefix);
	}

	@Test
	void missingKeyHasNoValue() {
		assertThat(this.store.get("key")).isNull();
		assertThat(this.store.remove("key")).isNull();
		assertThat(this.store.replace("key", "old", "new")).isFalse();
		assertThat(this.store.get("key")).isNull();
	}

	@Test
	void otherProcessFindsValue() {
		this.store.put("key", "value");
		assertThat(this.elsewhere.get("key")).isEqualTo("value");
		assertThat(client.template.getValue(this.prefix + "key", String.class)).contains("value");
	}

	@Test
	void overwritesValueFromOtherProcess() {
		this.store.put("key", "first");
		this.elsewhere.put("key", "second");
		assertThat(this.store.get("key")).isEqualTo("second");
	}

	@Test
	void keepsEmptyAndLongValues() {
		this.store.put("empty", "");
		this.store.put("long", "ä".repeat(10_000));
		assertThat(this.elsewhere.get("empty")).isEmpty();
		assertThat(this.elsewhere.get("long")).hasSize(10_000);
	}

	@Test
	void putIfAbsentStoresOnce() {
		assertThat(this.store.putIfAbsent("key", "first")).isNull();
		assertThat(this.elsewhere.putIfAbsent("key", "second")).isEqualTo("first");
		assertThat(this.store.get("key")).isEqualTo("first");
	}

	@Test
	void putIfAbsentFindsFencedValue() {
		this.store.put("key", "first");
		assertThat(this.elsewhere.putIfAbsent("key", "second")).isEqualTo("first");
	}

	@Test
	void removeReturnsPreviousValue() {
		this.store.put("key", "value");
		assertThat(this.elsewhere.remove("key")).isEqualTo("value");
		assertThat(this.store.get("key")).isNull();
		assertThat(this.store.putIfAbsent("key", "next")).isNull();
	}

	@Test
	void replacesOnlyExpectedValue() {
		this.store.putIfAbsent("key", "first");
		assertThat(this.elsewhere.replace("key", "other", "second")).isFalse();
		assertThat(this.store.get("key")).isEqualTo("first");
		assertThat(this.elsewhere.replace("key", "first", "second")).isTrue();
		assertThat(this.store.get("key")).isEqualTo("second");
	}

	@Test
	@SuppressWarnings("NullAway") // passes null on purpose
	void refusesNulls() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.store.put("key", null))
			.withMessage("'value' must not be null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.store.get(null))
			.withMessage("'key' must not be null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.store.replace("key", null, "value"))
			.withMessage("'oldValue' must not be null");
	}

	/** Every successful replacement counts once, so none was lost. */
	@Test
	void concurrentReplacementsLoseNothing() throws Exception {
		int increments = 5;
		this.store.put("counter", "0");
		ExecutorService threads = Executors.newFixedThreadPool(3);
		try {
			List<Future<?>> results = new ArrayList<>();
			for (ConcurrentMetadataStore each : List.of(this.store, this.elsewhere, this.store)) {
				results.add(threads.submit(() -> {
					for (int i = 0; i < increments; i++) {
						increment(each);
					}
				}));
			}
			for (Future<?> result : results) {
				result.get(40, TimeUnit.SECONDS);
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(this.store.get("counter")).isEqualTo(String.valueOf(3 * increments));
	}

	private static void increment(ConcurrentMetadataStore store) {
		String value;
		do {
			value = requireNonNull(store.get("counter"));
		}
		while (!store.replace("counter", value, String.valueOf(Integer.parseInt(value) + 1)));
	}

	@Test
	void otherClientsCannotOverwriteReplacedValue() {
		this.store.put("key", "value");
		assertThatExceptionOfType(StateStoreRefusedException.class)
			.isThrownBy(() -> other.template.set(this.prefix + "key", "bypassed"));
		assertThat(this.store.get("key")).isEqualTo("value");
	}

	@Test
	void idempotentReceiverAcceptsMessageOnce() {
		GenericMessage<String> message = new GenericMessage<>("order 7");
		assertThat(new MetadataStoreSelector((next) -> (String) next.getPayload(), this.store).accept(message))
			.isTrue();
		assertThat(new MetadataStoreSelector((next) -> (String) next.getPayload(), this.elsewhere).accept(message))
			.isFalse();
	}

}

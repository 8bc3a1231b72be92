package io.statestore.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** The template with a real server and a real socket. */
@Timeout(60)
class StateStoreEndToEndTests {

	private static final Key KEY = Key.of("machines/a\r\n+#/temperature");

	private StateStoreBroker broker = StateStoreBroker.builder().start();

	private final StateStoreConnection connection = new StateStoreConnection(ConnectionOptions.builder()
		.host(this.broker.host())
		.port(this.broker.port())
		.startTimeout(Duration.ofSeconds(20))
		.reconnectDelay(Duration.ofMillis(50), Duration.ofMillis(200))
		.build());

	private final StateStoreTemplate template = new StateStoreTemplate(this.connection);

	@BeforeEach
	void start() {
		this.connection.start();
	}

	@AfterEach
	void close() {
		this.connection.stop();
		this.broker.close();
	}

	/** Replaces the server by one without data, on the same port. */
	private void restartBroker() {
		int port = this.broker.port();
		this.broker.close();
		this.broker = StateStoreBroker.builder().port(port).start();
	}

	private static Version next(Version last, Version next) {
		assertThat(next).isGreaterThan(last);
		return next;
	}

	@Test
	void getsThousandsOfEntriesWithOneCall() {
		List<String> keys = new ArrayList<>();
		for (int i = 0; i < 2_000; i++) {
			keys.add("machines/" + i);
		}
		CompletableFuture<?>[] writes = keys.stream()
			.filter((key) -> !key.endsWith("7"))
			.map((key) -> this.template.async().set(key, "value of " + key))
			.toArray(CompletableFuture[]::new);
		CompletableFuture.allOf(writes).join();
		Map<String, Entry<String>> entries = this.template.getAll(keys, String.class);
		assertThat(entries).hasSize(1_800)
			.allSatisfy((key, entry) -> assertThat(entry.value()).isEqualTo("value of " + key));
		assertThat(this.template.async().getAll(keys, String.class).join()).isEqualTo(entries);
		assertThat(this.template.exists("machines/7")).isFalse();
	}

	@Test
	void returnsVersionFromEveryReply() {
		SetResult first = this.template.set(KEY, "1", SetSpec::ifAbsent);
		assertThat(first.applied()).isTrue();
		SetResult refused = this.template.set(KEY, "2", SetSpec::ifAbsent);
		assertThat(refused).isEqualTo(new SetResult(false, first.version()));
		assertThat(this.template.get(KEY, String.class)).contains(new Entry<>(KEY, "1", first.version()));
		SetResult renewed = this.template.set(KEY, "1", SetSpec::ifAbsentOrEqual);
		assertThat(renewed.applied()).isTrue();
		Version version = next(first.version(), renewed.version());
		assertThat(this.template.set(KEY, "2", SetSpec::ifAbsentOrEqual)).isEqualTo(new SetResult(false, version));
		version = next(version, this.template.set(KEY, "").version());
		assertThat(this.template.get(KEY, String.class)).contains(new Entry<>(KEY, "", version));
		assertThat(this.template.deleteIfEquals(KEY, "3")).isEqualTo(new DeleteResult(Outcome.DIFFERENT, version));
		DeleteResult deleted = this.template.deleteIfEquals(KEY, "");
		assertThat(deleted.outcome()).isEqualTo(Outcome.DELETED);
		version = next(version, deletedVersion(deleted));
		assertThat(this.template.deleteIfEquals(KEY, "")).isEqualTo(new DeleteResult(Outcome.ABSENT, null));
		assertThat(this.template.delete(KEY)).isEqualTo(new DeleteResult(Outcome.ABSENT, null));
		assertThat(this.template.get(KEY, String.class)).isEmpty();
		version = next(version, this.template.set(KEY, "4").version());
		next(version, deletedVersion(this.template.delete(KEY)));
	}

	private static Version deletedVersion(DeleteResult result) {
		assertThat(result.version()).isNotNull();
		return result.version();
	}

	@Test
	void scansAcrossPages() {
		Set<Key> keys = new HashSet<>();
		List<CompletableFuture<SetResult>> sets = new ArrayList<>();
		for (int i = 0; i < 2500; i++) {
			Key key = Key.of("scan/" + i);
			keys.add(key);
			sets.add(this.template.async().set(key, "x"));
		}
		sets.forEach(CompletableFuture::join);
		this.template.set(Key.of("other"), "x");
		List<Key> found = new ArrayList<>();
		this.template.scan("scan/*").forEach(found::add);
		assertThat(found).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(keys);
		assertThat(this.template.async().scan("scan/*").join().hasNext()).isTrue();
		assertThat(this.template.scan("none/*")).isEmpty();
	}

	@Test
	void refusesStaleToken() {
		FencingToken older = new FencingToken(this.template.set(Key.of("lock"), "a").version());
		FencingToken newer = new FencingToken(this.template.set(Key.of("lock"), "b").version());
		Version fenced = this.template.fencedBy(newer).set(KEY, "1").version();
		assertThat(fenced).isGreaterThan(newer.version());
		assertRefused(ErrorReason.FENCING_TOKEN_LOWER_VERSION, () -> this.template.fencedBy(older).set(KEY, "2"));
		assertRefused(ErrorReason.FENCING_TOKEN_LOWER_VERSION, () -> this.template.fencedBy(older).delete(KEY));
		assertRefused(ErrorReason.FENCING_TOKEN_REQUIRED, () -> this.template.set(KEY, "2"));
		assertRefused(ErrorReason.FENCING_TOKEN_REQUIRED, () -> this.template.deleteIfEquals(KEY, "1"));
		assertThat(this.template.get(KEY, String.class)).contains(new Entry<>(KEY, "1", fenced));
		assertThat(this.template.fencedBy(newer).delete(KEY).outcome()).isEqualTo(Outcome.DELETED);
	}

	private static void assertRefused(ErrorReason reason, Runnable call) {
		assertThatExceptionOfType(StateStoreRefusedException.class).isThrownBy(call::run)
			.satisfies((refused) -> assertThat(refused.reason()).isEqualTo(reason));
	}

	@Test
	void keyExpires() {
		Version version = this.template.set(KEY, "1", (spec) -> spec.persistent().expire(Duration.ofMillis(300)))
			.version();
		assertThat(this.template.get(KEY, String.class)).contains(new Entry<>(KEY, "1", version));
		await("the expiry").until(() -> this.template.get(KEY, String.class).isEmpty());
		next(version, this.template.set(KEY, "2", (spec) -> spec.ifAbsent().persistent()).version());
	}

	@Test
	void transfersLargeValues() {
		byte[] value = new byte[10 * 1024 * 1024];
		new Random(1).nextBytes(value);
		this.template.set(KEY, value);
		assertThat(this.template.get(KEY, byte[].class).map(Entry::value))
			.hasValueSatisfying((stored) -> assertThat(Arrays.equals(stored, value)).isTrue());
	}

	@Test
	void continuesAfterLosingAllData() {
		Version before = this.template.set(KEY, "1").version();
		restartBroker();
		assertThat(this.template.get(KEY, String.class)).isEqualTo(Optional.empty());
		assertThat(this.template.set(KEY, "2", SetSpec::ifAbsent).version()).isGreaterThan(before);
	}

	@Tag("long")
	@Test
	void continuesCallsAcrossServerRestarts() throws Exception {
		Map<String, AtomicInteger> outcomes = new ConcurrentHashMap<>();
		AtomicReference<Throwable> unexpected = new AtomicReference<>();
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(4);
		List<Thread> callers = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			Key key = Key.of("caller " + i);
			Thread caller = new Thread(() -> {
				for (int n = 0; System.nanoTime() < end; n++) {
					try {
						this.template.set(key, "value " + n);
						this.template.get(key, String.class);
						outcomes.computeIfAbsent("done", (name) -> new AtomicInteger()).incrementAndGet();
					}
					catch (StateStoreNotSentException | StateStoreOutcomeUnknownException ex) {
						outcomes.computeIfAbsent("failed", (name) -> new AtomicInteger()).incrementAndGet();
					}
					catch (Throwable ex) {
						unexpected.set(ex);
					}
				}
			});
			caller.start();
			callers.add(caller);
		}
		restartBroker();
		restartBroker();
		for (Thread caller : callers) {
			caller.join();
		}
		assertThat(unexpected.get()).isNull();
		assertThat(outcomes).containsKey("done");
		assertThat(this.template.set(KEY, "after").applied()).isTrue();
	}

}

package io.statestore.broker.server;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.statestore.broker.engine.Quota;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.log.BackupFile;
import io.statestore.broker.log.StoreDirectory;
import io.statestore.broker.log.TestDisk.Hold;
import io.statestore.broker.session.Applied;
import io.statestore.broker.session.Applied.Connected;
import io.statestore.broker.session.Delivery;
import io.statestore.broker.session.Message;
import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.SessionChange.Acknowledge;
import io.statestore.broker.session.SessionChange.Connect;
import io.statestore.broker.session.SessionChange.Publish;
import io.statestore.broker.session.SessionChange.Subscribe;
import io.statestore.broker.session.SessionLog;
import io.statestore.broker.session.SessionLog.Outcome;
import io.statestore.broker.session.Subscription;
import io.statestore.broker.session.Will;
import io.statestore.broker.storage.StorageOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** MQTT sessions in a store's log. */
class StoreSessionLogTests {

	@AutoClose
	private final RestartableStore store = new RestartableStore();

	private final List<Delivery> deliveries = new CopyOnWriteArrayList<>();

	static Stream<Arguments> endings() {
		return Stream.of(ending("close", RestartableStore::restart), ending("kill", RestartableStore::kill),
				ending("power failure", RestartableStore::cutPower));
	}

	private static Arguments ending(String name, Consumer<RestartableStore> ending) {
		return Arguments.of(Named.of(name, ending));
	}

	private SessionLog log() {
		return Objects.requireNonNull(this.store.server().sessionLog());
	}

	/** Applies a change. Returns {@code null} if it was rejected. */
	private @Nullable Applied apply(SessionChange change) {
		return apply(log(), change);
	}

	private static @Nullable Applied apply(SessionLog log, SessionChange change) {
		CompletableFuture<@Nullable Applied> result = new CompletableFuture<>();
		log.append(change, new Outcome(result::complete, () -> result.complete(null)));
		return result.orTimeout(10, TimeUnit.SECONDS).join();
	}

	private Connected connect(String clientId, @Nullable Will will) {
		Applied applied = Objects.requireNonNull(apply(new Connect(clientId, "", false, 3_600, will, true)));
		return Objects.requireNonNull(applied.connected());
	}

	private static Message message(String topic, String payload) {
		return new Message(topic, new byte[0], payload.getBytes(), 1, false, Message.NEVER, "publisher");
	}

	private void publish(String topic, String payload) {
		Publish change = log().sessions().routing().route(message(topic, payload), "", 0, 0, false);
		assertThat(apply(Objects.requireNonNull(change))).isNotNull();
	}

	private void attach(long connection) {
		log().attach("client", connection, this.deliveries::add);
		awaitChanges();
	}

	private List<String> payloads() {
		List<String> payloads = new ArrayList<>();
		this.deliveries.forEach((delivery) -> payloads.add(new String(delivery.message().payload())));
		return payloads;
	}

	@ParameterizedTest
	@MethodSource("endings")
	void queuedMessagesSurvive(Consumer<RestartableStore> ending) {
		long number = connect("client", null).number();
		apply(new Subscribe("client", number, List.of(new Subscription("t", 1, 0))));
		attach(number);
		for (int i = 1; i <= 150; i++) {
			publish("t", "" + i);
		}
		apply(new Acknowledge("client", number, false, new long[] { 2 }));
		ending.accept(this.store);
		this.deliveries.clear();
		Connected again = connect("client", null);
		assertThat(again.present()).isTrue();
		publish("t", "last");
		attach(again.number());
		assertThat(payloads()).hasSize(150).startsWith("1", "3").endsWith("150", "last");
		assertThat(this.deliveries).extracting(Delivery::isRepeated).startsWith(true, true).endsWith(true, false);
		assertThat(this.deliveries).extracting(Delivery::number).isSorted().doesNotHaveDuplicates();
	}

	@ParameterizedTest
	@MethodSource("endings")
	void willsOfInterruptedConnectionsWait(Consumer<RestartableStore> ending) {
		long number = connect("client", null).number();
		apply(new Subscribe("client", number, List.of(new Subscription("wills", 1, 0))));
		connect("gone", new Will(message("wills", "gone"), 0, -1));
		connect("returns", new Will(message("wills", "returns"), 0, -1));
		connect("denied", new Will(message("wills", "denied"), 0, -1));
		ending.accept(this.store);
		attach(connect("client", null).number());
		connect("returns", null);
		this.store.pass(Duration.ofMillis(29_999));
		expire();
		assertThat(payloads()).isEmpty();
		this.store.pass(Duration.ofMillis(2));
		expire();
		assertThat(payloads()).containsExactly("gone");
	}

	@Test
	void survivesSnapshot() {
		this.store.minLogBytes = 20_000;
		long number = connect("client", null).number();
		apply(new Subscribe("client", number, List.of(new Subscription("t", 1, 0))));
		int[] count = { 0 };
		await("a snapshot").until(() -> {
			publish("t", "x".repeat(100) + count[0]++);
			return this.store.server().durability().orElseThrow().snapshotIndex() > 0;
		});
		publish("t", "last");
		this.store.kill();
		assertThat(this.store.server().durability().orElseThrow().recoveredEntries()).isLessThan(count[0]);
		attach(connect("client", null).number());
		assertThat(payloads()).hasSize(count[0] + 1).startsWith("x".repeat(100) + 0).endsWith("last");
	}

	@Test
	void survivesBackup(@TempDir Path directory) {
		Path restored = directory.resolve("restored");
		StateStoreServerOptions options = StateStoreServerOptions.defaults();
		try (StateStoreServer server = new StateStoreServer(
				options.withStorage(StorageOptions.in(directory.resolve("original"))))) {
			SessionLog log = Objects.requireNonNull(server.sessionLog());
			apply(log, new Connect("client", "", false, 3_600, null, true));
			apply(log, new Subscribe("client", 1, List.of(new Subscription("t", 1, 0))));
			apply(log, new Publish(message("t", "queued"), "", 0, 0, Map.of(), false, 0));
			TestBackups.write(server, directory.resolve("backup"));
		}
		StoreDirectory.restore(directory.resolve("backup"), restored, null);
		try (StateStoreServer server = new StateStoreServer(options.withStorage(StorageOptions.in(restored)))) {
			SessionLog log = Objects.requireNonNull(server.sessionLog());
			apply(log, new Connect("client", "", false, 3_600, null, true));
			log.attach("client", 2, this.deliveries::add);
			awaitChanges(log);
		}
		assertThat(payloads()).containsExactly("queued");
	}

	@Test
	void clusterStartsWithSessionsFromBackup(@TempDir Path directory) throws IOException {
		StateStoreServerOptions options = StateStoreServerOptions.defaults()
			.withQuota(Quota.UNLIMITED.withSessions(1 << 20, 1 << 16));
		try (StateStoreServer server = new StateStoreServer(
				options.withStorage(StorageOptions.in(directory.resolve("store"))))) {
			apply(Objects.requireNonNull(server.sessionLog()), new Connect("client", "", false, 60, null, true));
			TestBackups.write(server, directory.resolve("backup"));
		}
		ByteArrayOutputStream output = new ByteArrayOutputStream();
		try (InputStream state = BackupFile.verify(directory.resolve("backup")).open()) {
			ClusterImport.write(state, null, output);
		}
		StateMachine machine = StateMachine.restore(new ByteArrayInputStream(output.toByteArray()),
				(key, value, version, author) -> {
				});
		assertThat(machine.sessions().find("client")).isNotNull();
		assertThat(machine.quota().sessionMemory()).isLessThan(Long.MAX_VALUE);
	}

	@Test
	void dropsMessagesByLimitsInEffectAtTheTime() {
		this.store.quota = Quota.UNLIMITED.withSessions(1 << 20, 4_000);
		long number = connect("client", null).number();
		apply(new Subscribe("client", number, List.of(new Subscription("t", 1, 0))));
		for (int i = 0; i < 100; i++) {
			publish("t", "" + i);
			if (i % 10 == 9) {
				apply(new Acknowledge("client", number, false, new long[] { i / 10 + 1 }));
			}
		}
		this.store.quota = Quota.UNLIMITED;
		attach(number);
		List<String> payloads = payloads();
		assertThat(payloads).hasSizeBetween(5, 20);
		this.deliveries.clear();
		this.store.kill();
		attach(connect("client", null).number());
		assertThat(payloads()).isEqualTo(payloads);
		publish("t", "x".repeat(5_000));
		assertThat(payloads()).hasSize(payloads.size() + 1);
	}

	@Test
	void callsBackInOrder() {
		this.store.maxHeld = 30_000;
		connect("client", null);
		List<String> calls = new CopyOnWriteArrayList<>();
		Hold hold = this.store.disk.holdNextForce();
		log().append(publish(10_000), outcome("first", calls));
		hold.awaitReached();
		log().inOrder(() -> calls.add("behind first"), 0);
		for (int i = 0; i < 10; i++) {
			log().append(publish(10_000), outcome("large", calls));
		}
		log().inOrder(() -> calls.add("behind large"), 0);
		log().append(new SessionChange.Release("client", 1, 2), outcome("release", calls));
		log().append(publish(0), outcome("small", calls));
		log().inOrder(() -> calls.add("end"), 0);
		assertThat(calls).isEmpty();
		hold.release();
		awaitChanges();
		assertThat(calls).startsWith("first", "behind first", "large")
			.endsWith("large rejected", "behind large", "release", "small rejected", "end");
		assertThat(apply(publish(10_000))).isNotNull();
	}

	private static Publish publish(int size) {
		return new Publish(message("t", "x".repeat(size)), "", 0, 0, Map.of(), false, 0);
	}

	private static Outcome outcome(String name, List<String> calls) {
		return new Outcome((applied) -> calls.add(name), () -> calls.add(name + " rejected"));
	}

	@Test
	void fullDiskRejectsAndRecovers() {
		long number = connect("client", null).number();
		connect("other", null);
		apply(new Subscribe("client", number, List.of(new Subscription("t", 1, 0))));
		attach(number);
		publish("t", "1");
		publish("t", "2");
		this.store.disk.full(true);
		await("a full disk").until(() -> apply(publish(20_000)) == null);
		assertThat(apply(new Acknowledge("client", number, false, new long[] { 1 }))).isNull();
		assertThat(apply(new SessionChange.Disconnect("other", 2, 10, true))).isNull();
		expire();
		assertThat(log().sessions().nextDeadline()).isEqualTo(Message.NEVER);
		this.store.disk.full(false);
		await("recovery").until(() -> {
			expire();
			return log().sessions().nextDeadline() != Message.NEVER;
		});
		awaitChanges();
		this.store.kill();
		this.deliveries.clear();
		attach(connect("client", null).number());
		assertThat(payloads()).startsWith("2").doesNotContain("1");
		this.store.pass(Duration.ofSeconds(10));
		expire();
		assertThat(log().sessions().find("other")).isNull();
	}

	@Test
	void proposesOneExpiryAtATime() {
		connect("client", null);
		apply(new SessionChange.Disconnect("client", 1, 1, true));
		this.store.pass(Duration.ofSeconds(1));
		long before = this.store.server().durability().orElseThrow().lastIndex();
		Hold hold = this.store.disk.holdNextForce();
		log().expire((clientId) -> false);
		hold.awaitReached();
		log().expire((clientId) -> false);
		hold.release();
		awaitChanges();
		assertThat(log().sessions().count()).isZero();
		expire();
		assertThat(this.store.server().durability().orElseThrow().lastIndex()).isEqualTo(before + 1);
	}

	@Test
	void hasNoEffectAfterFailureAndClose() {
		connect("client", null);
		SessionLog log = log();
		StateStoreServer server = this.store.server();
		this.store.disk.fail();
		List<String> calls = new CopyOnWriteArrayList<>();
		log.append(publish(1), outcome("failed", calls));
		server.failure().orTimeout(10, TimeUnit.SECONDS).join();
		log.append(publish(1), outcome("late", calls));
		log.inOrder(() -> calls.add("action"), 0);
		log.expire((clientId) -> false);
		assertThat(calls).isEmpty();
		this.store.kill();
		log.append(publish(1), outcome("closed", calls));
		log.attach("client", 1, this.deliveries::add);
		assertThat(calls).isEmpty();
		SessionLog next = log();
		this.store.close();
		next.append(publish(1), outcome("closed", calls));
		assertThat(calls).containsExactly("closed rejected");
	}

	@Test
	void inMemoryStoreKeepsNoSessions() {
		try (StateStoreServer server = new StateStoreServer()) {
			assertThat(server.sessionLog()).isNull();
		}
	}

	@Test
	void appliedMessagesSurvivePowerCuts() {
		Random random = new Random(1);
		for (int round = 0; round < 30; round++) {
			appliedMessagesSurvivePowerCut(new RestartableStore(round), random);
		}
	}

	private void appliedMessagesSurvivePowerCut(RestartableStore store, Random random) {
		store.minLogBytes = 500;
		this.deliveries.clear();
		try (store) {
			SessionLog log = Objects.requireNonNull(store.server().sessionLog());
			apply(log, new Connect("client", "", false, 3_600, null, true));
			apply(log, new Subscribe("client", 1, List.of(new Subscription("t", 1, 0))));
			AtomicInteger sent = new AtomicInteger();
			AtomicInteger applied = new AtomicInteger();
			for (int count = random.nextInt(300); sent.get() < count;) {
				Message message = message("t", "" + sent.getAndIncrement());
				log.append(new Publish(message, "", 0, 0, Map.of(), false, 0),
						new Outcome((effect) -> applied.incrementAndGet(), () -> {
						}));
				if (random.nextInt(10) == 0) {
					Thread.yield();
				}
			}
			store.cutPower();
			SessionLog next = Objects.requireNonNull(store.server().sessionLog());
			Applied again = Objects.requireNonNull(apply(next, new Connect("client", "", false, 60, null, true)));
			assertThat(Objects.requireNonNull(again.connected()).present()).isTrue();
			next.attach("client", 2, this.deliveries::add);
			awaitChanges(next);
			assertThat(payloads())
				.isEqualTo(IntStream.range(0, this.deliveries.size()).mapToObj(String::valueOf).toList())
				.hasSizeBetween(applied.get(), sent.get());
		}
	}

	private void expire() {
		log().expire("denied"::equals);
		awaitChanges();
	}

	private void awaitChanges() {
		awaitChanges(log());
	}

	private static void awaitChanges(SessionLog log) {
		CompletableFuture<Void> done = new CompletableFuture<>();
		log.inOrder(() -> done.complete(null), 0);
		done.orTimeout(10, TimeUnit.SECONDS).join();
	}

}

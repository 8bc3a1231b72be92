package io.statestore.client.observation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyObservation;
import io.statestore.client.ObserveSpec;
import io.statestore.client.SetResult;
import io.statestore.client.StateStoreConversionException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import io.statestore.test.FaultProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/** Observations against the real server, over a real socket that breaks. */
@Timeout(60)
class ObservationEndToEndTests {

	private final List<KeyChange<String>> told = new CopyOnWriteArrayList<>();

	private StateStoreBroker broker = StateStoreBroker.builder().start();

	private final FaultProxy proxy = new FaultProxy(this.broker.port());

	private final TestClient observer = new TestClient(this.proxy.port()).start();

	private final TestClient writer = new TestClient(this.broker.port()).start();

	@AfterEach
	void close() {
		this.observer.close();
		this.writer.close();
		this.proxy.close();
		this.broker.close();
	}

	private KeyChange<String> last() {
		return this.told.get(this.told.size() - 1);
	}

	private void awaitTold(int count) {
		await(count + " changes, but there are " + this.told).until(() -> this.told.size() >= count);
	}

	@Test
	void changesOfOthersArriveInOrder() {
		this.writer.template.set("key", "before");
		KeyObservation observation = this.observer.template.observe("key", String.class, this.told::add);
		assertThat(observation.isActive()).isTrue();
		SetResult first = this.writer.template.set("key", "1");
		this.writer.template.set("other", "x");
		Version deleted = this.writer.template.delete("key").version();
		this.writer.template.set("key", "2", (spec) -> spec.expire(Duration.ofMillis(100)));
		awaitTold(4);
		assertThat(this.told.get(0))
			.isEqualTo(new KeyChange<>(Key.of("key"), Operation.SET, "1", first.version(), false));
		assertThat(this.told.get(1).operation()).isEqualTo(Operation.DELETE);
		assertThat(this.told.get(1).version()).isEqualTo(deleted);
		assertThat(this.told.get(1).optionalValue()).isEmpty();
		assertThat(this.told.get(2).value()).isEqualTo("2");
		assertThat(this.told.get(3).operation()).isEqualTo(Operation.DELETE);
		assertThat(this.told).noneMatch(KeyChange::resynchronised);
	}

	@Test
	void nothingArrivesAfterClose() {
		KeyObservation observation = this.observer.template.observe("key", String.class, this.told::add);
		observation.closeAsync().join();
		assertThat(observation.isActive()).isFalse();
		await("STOP").until(() -> this.observer.commands.stream().anyMatch(Command.KeyNotifyStop.class::isInstance));
		this.writer.template.set("key", "1");
		// What the store would have sent is there before the reply.
		this.observer.template.get("key", String.class);
		assertThat(this.told).isEmpty();
		this.observer.template.observe("key", String.class, this.told::add);
		this.writer.template.set("key", "2");
		awaitTold(1);
		assertThat(last().value()).isEqualTo("2");
	}

	@Test
	void manyListenersShareOneObservation() {
		KeyObservation first = this.observer.template.observe("key", String.class, (change) -> {
		});
		this.observer.template.observe("key", String.class, this.told::add);
		first.close();
		this.writer.template.set("key", "1");
		awaitTold(1);
		assertThat(this.observer.commands).noneMatch(Command.KeyNotifyStop.class::isInstance);
	}

	@Test
	void theCurrentValueComesFirst() {
		Version version = this.writer.template.set("key", "current").version();
		this.observer.template.observe("key", String.class, ObserveSpec::initial, this.told::add);
		this.observer.template.observe("absent", String.class, ObserveSpec::initial, this.told::add);
		awaitTold(1);
		assertThat(last()).isEqualTo(new KeyChange<>(Key.of("key"), Operation.SET, "current", version, true));
		List<KeyChange<String>> late = new CopyOnWriteArrayList<>();
		this.observer.template.observe("key", String.class, ObserveSpec::initial, late::add);
		await("the initial value of a second listener").until(() -> late.size() == 1);
		this.writer.template.set("key", "next");
		awaitTold(2);
		assertThat(last().resynchronised()).isFalse();
	}

	@Test
	void onlyWhatMovedIsResynchronisedAfterAnAbsence() {
		this.writer.template.set("changed", "1");
		this.writer.template.set("deleted", "1");
		this.writer.template.set("same", "1");
		for (String key : List.of("changed", "deleted", "same", "absent")) {
			this.observer.template.observe(key, String.class, this.told::add);
		}
		this.proxy.block();
		await("the end of the connection").until(() -> !this.observer.connection.isConnected());
		this.writer.template.set("changed", "2");
		Version changed = this.writer.template.set("changed", "3").version();
		Version deleted = this.writer.template.delete("deleted").version();
		this.proxy.unblock();
		awaitTold(2);
		assertThat(this.told).filteredOn((change) -> change.key().equals(Key.of("changed")))
			.containsExactly(new KeyChange<>(Key.of("changed"), Operation.SET, "3", changed, true));
		assertThat(this.told).filteredOn((change) -> change.key().equals(Key.of("deleted")))
			.singleElement()
			.satisfies((change) -> {
				assertThat(change.operation()).isEqualTo(Operation.DELETE);
				assertThat(change.resynchronised()).isTrue();
				assertThat(change.version()).isLessThanOrEqualTo(deleted);
			});
		this.told.clear();
		for (String key : List.of("changed", "deleted", "same", "absent")) {
			this.writer.template.set(key, "live");
		}
		awaitTold(4);
		assertThat(this.told).hasSize(4)
			.allMatch((change) -> "live".equals(change.value()) && !change.resynchronised());
	}

	@Test
	void anEmptyStoreAfterARestartDeletes() {
		this.observer.template.observe("key", String.class, this.told::add);
		this.writer.template.set("key", "1");
		awaitTold(1);
		int port = this.broker.port();
		this.broker.close();
		this.broker = StateStoreBroker.builder().port(port).start();
		awaitTold(2);
		assertThat(last().operation()).isEqualTo(Operation.DELETE);
		assertThat(last().resynchronised()).isTrue();
		await("the writer").until(this.writer.connection::isConnected);
		this.writer.template.set("key", "2");
		awaitTold(3);
		assertThat(last().value()).isEqualTo("2");
		assertThat(this.told.stream().map(KeyChange::version)).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void survivesStopAndStartOfTheConnection() {
		this.observer.template.observe("key", String.class, this.told::add);
		this.observer.connection.stop();
		this.writer.template.set("key", "meanwhile");
		this.observer.connection.start();
		awaitTold(1);
		assertThat(last().value()).isEqualTo("meanwhile");
	}

	@Test
	void ownChangesAreLeftOut() {
		KeyObservation observation = this.observer.template.observe("key", String.class, ObserveSpec::ignoreOwn,
				this.told::add);
		Set<Version> own = new HashSet<>();
		Set<Version> foreign = new HashSet<>();
		for (int i = 0; i < 100; i++) {
			List<CompletableFuture<SetResult>> mine = new ArrayList<>();
			for (int j = 0; j < 5; j++) {
				mine.add(this.observer.template.async().set("key", "own"));
			}
			foreign.add(this.writer.template.set("key", "foreign").version());
			mine.forEach((write) -> own.add(write.join().version()));
			if (i % 10 == 0) {
				own.add(this.observer.template.delete("key").version());
			}
		}
		awaitTold(foreign.size());
		assertThat(observation.isActive()).isTrue();
		assertThat(own).hasSize(510);
		assertThat(this.told.stream().map(KeyChange::version)).containsExactlyInAnyOrderElementsOf(foreign).isSorted();
	}

	@Test
	void aSlowListenerDelaysOnlyItsKeyAndCatchesUpWithTheLatest() throws InterruptedException {
		CountDownLatch release = new CountDownLatch(1);
		List<KeyChange<String>> slow = new CopyOnWriteArrayList<>();
		try (TestClient client = new TestClient(this.broker.port(), ObservationOptions.DEFAULT.withQueueCapacity(10))
			.start()) {
			client.template.observe("slow", String.class, (change) -> {
				release.await();
				slow.add(change);
			});
			client.template.observe("fast", String.class, this.told::add);
			for (int i = 0; i < 100; i++) {
				this.writer.template.set("slow", "v" + i);
				this.writer.template.set("fast", "v" + i);
				client.template.get("slow", String.class);
			}
			// Not every value: on a busy machine its queue of 10 may overflow too.
			await("the other key").until(() -> !this.told.isEmpty() && "v99".equals(last().value()));
			assertThat(slow).isEmpty();
			release.countDown();
			await("the latest").until(() -> !slow.isEmpty() && "v99".equals(slow.get(slow.size() - 1).value()));
			assertThat(slow).hasSizeLessThanOrEqualTo(11);
			assertThat(slow.get(1).resynchronised()).isTrue();
			assertThat(slow.stream().map(KeyChange::version)).isSorted().doesNotHaveDuplicates();
		}
		assertThat(release.await(1, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void aListenerMayCallTheStoreAndThrow() {
		List<String> failures = new CopyOnWriteArrayList<>();
		this.observer.template.observe(
				"key", Integer.class, (
						spec) -> spec.id("mine")
							.onError((id, change, failure) -> failures
								.add(id + ' ' + change.value() + ' ' + failure.getClass().getSimpleName())),
				(change) -> {
					Integer stored = this.observer.template.get("copy", Integer.class)
						.map((entry) -> entry.value())
						.orElse(0);
					this.observer.template.set("copy", stored + Objects.requireNonNull(change.value()));
					if (change.value() == 2) {
						throw new IllegalStateException("expected");
					}
				});
		this.writer.template.set("key", 1);
		this.writer.template.set("key", 2);
		this.writer.template.set("key", "no number");
		this.writer.template.set("key", 4);
		await("the sum").until(() -> this.writer.template.get("copy", Integer.class)
			.filter((entry) -> entry.value() == 7)
			.isPresent());
		assertThat(failures).containsExactly("mine Bytes[1] IllegalStateException",
				"mine Bytes[9] " + StateStoreConversionException.class.getSimpleName());
	}

	@Test
	void onlySomeOperations() {
		this.observer.template.observe("key", String.class, (spec) -> spec.only(Operation.DELETE), this.told::add);
		this.writer.template.set("key", "1");
		this.writer.template.delete("key");
		awaitTold(1);
		assertThat(this.told).extracting(KeyChange::operation).containsExactly(Operation.DELETE);
	}

	@Test
	void saysWhyItCannotObserve() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.observer.template.observe(Key.of(new byte[32_701]), String.class, this.told::add))
			.withMessageContaining("32701 bytes")
			.withMessageContaining("at most 32700");
		assertThatIllegalStateException()
			.isThrownBy(() -> new StateStoreTemplate((command, options) -> new CompletableFuture<>()).observe("key",
					String.class, this.told::add))
			.withMessageContaining("KeyObservations");
		this.proxy.block();
		await("the end of the connection").until(() -> !this.observer.connection.isConnected());
		assertThatExceptionOfType(StateStoreNotSentException.class)
			.isThrownBy(() -> this.observer.template.withTimeout(Duration.ofMillis(50))
				.observe("key", String.class, this.told::add))
			.withMessageContaining("Key 'key' is not observed");
		this.proxy.unblock();
		await("the connection").until(this.observer.connection::isConnected);
		this.writer.template.set("key", "1");
		this.observer.template.get("key", String.class);
		assertThat(this.told).isEmpty();
	}

	@Test
	void anObservationThatCouldNotStartStartsLater() {
		this.proxy.block();
		await("the end of the connection").until(() -> !this.observer.connection.isConnected());
		KeyObservation observation = this.observer.template.async().observe(Key.of("key"), String.class, (spec) -> {
		}, this.told::add);
		assertThat(observation.started()).isNotDone();
		this.proxy.unblock();
		observation.started().join();
		this.writer.template.set("key", "1");
		awaitTold(1);
	}

	@Test
	void aListenerMayObserveOnTheOnlyThreadThereIs() {
		ExecutorService onlyOne = Executors.newSingleThreadExecutor();
		try (TestClient client = new TestClient(this.broker.port(), ObservationOptions.DEFAULT, onlyOne).start()) {
			List<Boolean> active = new CopyOnWriteArrayList<>();
			client.template.observe("key", String.class,
					(change) -> active.add(client.template.observe("other", String.class, this.told::add).isActive()));
			this.writer.template.set("key", "1");
			await("the second observation").until(() -> !active.isEmpty());
			assertThat(active).containsExactly(true);
			this.writer.template.set("other", "2");
			awaitTold(1);
		}
		finally {
			onlyOne.shutdownNow();
		}
	}

	private static boolean awaitQuietly(CountDownLatch latch) {
		try {
			return latch.await(30, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	@Test
	void blockingWritesDoNotDependOnContinuationsOfOthers() {
		this.observer.template.observe("key", String.class, ObserveSpec::ignoreOwn, this.told::add);
		CountDownLatch release = new CountDownLatch(1);
		Thread test = Thread.currentThread();
		AtomicBoolean gaveUp = new AtomicBoolean();
		AtomicInteger ran = new AtomicInteger();
		AtomicInteger blocked = new AtomicInteger();
		for (int i = 1; blocked.get() < 16; i++) {
			this.observer.template.async().set("other", i).thenAccept((result) -> {
				boolean blocks = Thread.currentThread() != test;
				blocked.addAndGet(blocks ? 1 : 0);
				ran.incrementAndGet();
				if (blocks && !awaitQuietly(release)) {
					gaveUp.set(true);
				}
			});
			int expected = i;
			await("its continuation").until(() -> ran.get() == expected);
		}
		assertThat(this.observer.template.get("other", Integer.class)).isPresent();
		assertThat(this.observer.template.set("key", "own").applied()).isTrue();
		assertThat(this.observer.template.set("unobserved", "x").applied()).isTrue();
		assertThat(gaveUp).isFalse();
		release.countDown();
	}

}

package io.statestore.client.watch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Entry;
import io.statestore.client.KeyChange;
import io.statestore.client.StateStoreException;
import io.statestore.client.mqtt.ConnectionListener;
import io.statestore.test.FaultProxy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Writes continuously while the connection of the watcher is cut within packets, and the
 * broker is restarted without its data. Short by default; {@code -Dsoak=full} runs all
 * changes, and {@code -Dsoak.seed} repeats the cuts of an earlier run.
 */
@Timeout(600)
class SoakTests {

	private static final boolean FULL = "full".equals(System.getProperty("soak"));

	private static final int WRITERS = 3;

	private static final int KEYS = 50;

	private static final int CHANGES = FULL ? 10_000 : 500;

	private static final int CUTS = FULL ? 30 : 5;

	/** Pause of each writer between changes, so that faults occur among them. */
	private static final Duration PAUSE = Duration.ofMillis(5);

	private static final int RESTARTS = FULL ? 3 : 1;

	private final Map<String, List<KeyChange<String>>> delivered = new ConcurrentHashMap<>();

	private final AtomicInteger written = new AtomicInteger();

	private final AtomicLong lastConnected = new AtomicLong();

	private final List<Throwable> failures = new CopyOnWriteArrayList<>();

	private StateStoreBroker broker = StateStoreBroker.builder().start();

	@Test
	void losesNothingDespiteFaults() throws InterruptedException {
		long seed = Long.getLong("soak.seed", System.nanoTime());
		Random random = new Random(seed);
		int port = this.broker.port();
		try (FaultProxy proxy = new FaultProxy(port); TestClient watcher = new TestClient(proxy.port())) {
			watcher.connection.addListener(new ConnectionListener() {

				@Override
				public void connected(boolean reconnect) {
					SoakTests.this.lastConnected.set(System.nanoTime());
				}

			});
			watcher.start();
			for (int i = 0; i < KEYS; i++) {
				List<KeyChange<String>> changes = new CopyOnWriteArrayList<>();
				this.delivered.put("key" + i, changes);
				watcher.template.watch("key" + i, String.class, changes::add);
			}
			List<Thread> writers = startWriters(port, random);
			for (int event = 0; event < CUTS + RESTARTS; event++) {
				int threshold = (event + 1) * CHANGES / (CUTS + RESTARTS + 1);
				await("change " + threshold).atMost(Duration.ofMinutes(2)).until(() -> this.written.get() >= threshold);
				await("the watcher").until(watcher.connection::isConnected);
				if (isRestart(event)) {
					this.broker.close();
					this.broker = StateStoreBroker.builder().port(port).start();
				}
				else {
					int cuts = proxy.cuts();
					proxy.cutAfter(random.nextInt(2000));
					await("a cut").until(() -> proxy.cuts() > cuts);
				}
			}
			for (Thread writer : writers) {
				writer.join();
			}
			long lastWritten = System.nanoTime();
			assertThat(this.failures).isEmpty();
			assertThat(proxy.cuts()).isEqualTo(CUTS);
			try (TestClient reader = new TestClient(port).start()) {
				Map<String, @Nullable Entry<String>> store = new HashMap<>();
				this.delivered.keySet()
					.forEach((key) -> store.put(key, reader.template.get(key, String.class).orElse(null)));
				await("the last changes, seed " + seed).until(() -> this.delivered.keySet()
					.stream()
					.allMatch((key) -> matches(this.delivered.get(key), store.get(key))));
			}
			Duration late = Duration.ofNanos(System.nanoTime() - Math.max(lastWritten, this.lastConnected.get()));
			assertThat(late).isLessThan(Duration.ofSeconds(5));
			report(seed, late);
		}
		finally {
			this.broker.close();
		}
		assertThat(this.delivered.values()).allSatisfy(
				(changes) -> assertThat(changes.stream().map(KeyChange::version)).isSorted().doesNotHaveDuplicates());
		// Not for each key: all changes of a key may have occurred during outages.
		assertThat(this.delivered.values().stream().mapToLong(List::size).sum()).isGreaterThan(KEYS);
	}

	private List<Thread> startWriters(int port, Random random) {
		List<Thread> writers = new ArrayList<>();
		for (int i = 0; i < WRITERS; i++) {
			Random own = new Random(random.nextLong());
			String name = "writer-" + i;
			Thread thread = new Thread(() -> write(port, own), name);
			thread.setDaemon(true);
			thread.setUncaughtExceptionHandler((dead, failure) -> this.failures.add(failure));
			thread.start();
			writers.add(thread);
		}
		return writers;
	}

	private void write(int port, Random random) {
		try (TestClient client = new TestClient(port).start()) {
			while (this.written.get() < CHANGES) {
				String key = "key" + random.nextInt(KEYS);
				try {
					if (random.nextInt(10) == 0) {
						client.template.delete(key);
					}
					else {
						client.template.set(key, "value " + random.nextInt());
					}
					this.written.incrementAndGet();
				}
				catch (StateStoreException ex) {
					// The broker was restarted; the writer continues with another change.
				}
				LockSupport.parkNanos(PAUSE.toNanos());
			}
		}
	}

	/** Returns whether an event is a restart. Restarts are spread evenly among cuts. */
	private static boolean isRestart(int event) {
		int events = CUTS + RESTARTS;
		return (event * RESTARTS + events / 2) / events != ((event + 1) * RESTARTS + events / 2) / events;
	}

	private static boolean matches(@Nullable List<KeyChange<String>> changes, @Nullable Entry<String> entry) {
		KeyChange<String> last = (changes == null || changes.isEmpty()) ? null : changes.get(changes.size() - 1);
		if (entry == null) {
			return last == null || last.value() == null;
		}
		return last != null && entry.value().equals(last.value()) && entry.version().equals(last.version());
	}

	private void report(long seed, Duration late) {
		long changes = this.delivered.values().stream().mapToLong(List::size).sum();
		long resynchronized = this.delivered.values()
			.stream()
			.flatMap(List::stream)
			.filter(KeyChange::resynchronized)
			.count();
		System.out.println("Soak: " + CHANGES + " changes, " + CUTS + " cuts, " + RESTARTS + " restarts, seed " + seed
				+ ": " + changes + " delivered, " + resynchronized + " of them resynchronized, the last "
				+ late.toMillis() + " ms after the last reconnect and write");
	}

}

package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.watch.WatchOptions;
import io.statestore.client.watch.TestClient;
import io.statestore.test.JavaProcess;
import io.statestore.test.TestRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Processes that contend for one lock while they are killed, paused for longer than the
 * lease, and disconnected within packets. Runs briefly by default, and in full with
 * {@code -Dsoak=full}.
 */
@Tag("long")
@Tag("nightly")
@Timeout(600)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no SIGSTOP")
class LockProcessesTests {

	private static final boolean FULL = "full".equals(System.getProperty("soak"));

	private static final Duration TIME = Duration.ofSeconds(FULL ? 60 : 12);

	private static final int WORKERS = 5;

	private static final int TAKEOVERS = FULL ? 10 : 2;

	private static final Duration LEASE = Duration.ofSeconds(2);

	private final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final TestClient client = new TestClient(this.broker.port(),
			WatchOptions.DEFAULT.withQueueCapacity(1_000_000))
		.start();

	private final Ledger ledger = new Ledger();

	private final List<WorkerProcess> workers = new ArrayList<>();

	/** Times at which paused processes resume. */
	private final Map<WorkerProcess, Long> paused = new HashMap<>();

	private final Random random = TestRandom.create(LockProcessesTests.class);

	private int started;

	private int kills;

	private int pauses;

	private int cuts;

	/** Number of increments that were stored but not reported. */
	private int unreported;

	@AfterEach
	void close() {
		this.workers.forEach(WorkerProcess::close);
		this.client.close();
		this.broker.close();
	}

	private WorkerProcess start() {
		WorkerProcess worker = new WorkerProcess("w" + ++this.started, this.broker.port(), LEASE, this.ledger::report);
		this.workers.add(worker);
		return worker;
	}

	@Test
	void keepsConfirmedAndRefusesStaleIncrements() throws Exception {
		List<Increment> watched = new CopyOnWriteArrayList<>();
		this.client.template.watch(LockWorker.COUNTER, String.class,
				(change) -> watched.add(Increment.parse(Objects.requireNonNull(change.value()))));
		for (int i = 0; i < WORKERS; i++) {
			start().send("work");
		}
		this.workers.forEach((worker) -> worker.await("READY"));
		causeFaults();
		resumeIf((until) -> true);
		this.workers.forEach((worker) -> worker.send("stop"));
		for (WorkerProcess worker : this.workers) {
			assertThat(worker.awaitEnd()).as(worker::errors).isZero();
		}
		FencedLock lock = new StateStoreLockRegistry(this.client.template).obtain(LockWorker.LOCK);
		// Written under a new token, so that no earlier holder can write afterward.
		String last = lock.execute((held) -> held.update(LockWorker.COUNTER, String.class, (value) -> value))
			.orElseThrow();
		long found = this.ledger.verify(Increment.parse(last));
		System.out.println("Processes: " + this.ledger + ", " + found + " unconfirmed increments in the store; "
				+ this.kills + " kills, " + this.pauses + " pauses, " + this.cuts + " cuts");
		assertThat(found).isGreaterThanOrEqualTo(this.unreported);
		await("the last change").until(() -> watched.get(watched.size() - 1).toString().equals(last));
		assertThat(watched.stream().map(Increment::token)).as("tokens of writes").isSorted();
		assertThat(watched.stream().map(Increment::count)).as("stored counts").isSorted();
	}

	private void causeFaults() {
		List<Runnable> faults = new ArrayList<>(List.of(this::kill, this::killBeforeReport, this::pauseBeforeWrite,
				this::pause, this::cut, this::cut, this::cut));
		long end = System.nanoTime() + TIME.toNanos();
		do {
			Collections.shuffle(faults, this.random);
			for (Runnable fault : faults) {
				fault.run();
				long next = System.nanoTime() + Duration.ofMillis(this.random.nextInt(600)).toNanos();
				awaitWhileResuming("the next fault", () -> System.nanoTime() - next > 0);
			}
		}
		while (System.nanoTime() - end < 0 || this.ledger.count("STALE") == 0 || this.unreported == 0);
	}

	/** Returns a worker that is not paused, preferably the holder of the lock. */
	private WorkerProcess anyWorker() {
		List<WorkerProcess> awake = this.workers.stream().filter((worker) -> !this.paused.containsKey(worker)).toList();
		String holder = (this.random.nextInt(3) > 0) ? this.ledger.last().writer() : "";
		return awake.stream()
			.filter((worker) -> worker.name().equals(holder))
			.findFirst()
			.orElseGet(() -> awake.get(this.random.nextInt(awake.size())));
	}

	private void kill() {
		kill(anyWorker());
	}

	private void kill(WorkerProcess worker) {
		worker.kill();
		this.workers.remove(worker);
		this.kills++;
		start().send("work");
	}

	private void pause() {
		WorkerProcess worker = anyWorker();
		worker.pause();
		this.pauses++;
		this.paused.put(worker, System.nanoTime() + LEASE.plusMillis(this.random.nextInt(2000)).toNanos());
	}

	private void cut() {
		anyWorker().network().cutAfter(this.random.nextInt(2000));
		this.cuts++;
	}

	/**
	 * Pauses a holder between its check and its write until another holder has written.
	 */
	private void pauseBeforeWrite() {
		WorkerProcess worker = anyWorker();
		if (reaches(worker, "careless", "CHECKED")) {
			worker.pause();
			long count = this.ledger.last().count();
			awaitWhileResuming("a write by another holder", () -> this.ledger.last().count() > count);
			worker.resume();
			worker.send("go");
			awaitWhileResuming("the return of the careless holder", () -> worker.take("RETURNED"));
		}
		worker.send("work");
	}

	/** Kills a holder between the reply of the store and its own report. */
	private void killBeforeReport() {
		WorkerProcess worker = anyWorker();
		if (reaches(worker, "write", "WRITTEN")) {
			this.unreported++;
		}
		kill(worker);
	}

	/**
	 * Sends a command, and returns whether the worker reports a sign before it returns.
	 */
	private boolean reaches(WorkerProcess worker, String command, String sign) {
		boolean[] reached = { false };
		worker.send(command);
		awaitWhileResuming(sign + " from worker " + worker.name(), () -> {
			reached[0] = worker.take(sign);
			return reached[0] || worker.take("RETURNED");
		});
		return reached[0];
	}

	private void awaitWhileResuming(String what, BooleanSupplier condition) {
		await(what).atMost(JavaProcess.TIMEOUT).until(() -> {
			resumeIf((until) -> System.nanoTime() - until > 0);
			return condition.getAsBoolean();
		});
	}

	private void resumeIf(LongPredicate due) {
		this.paused.entrySet().removeIf((entry) -> {
			if (due.test(entry.getValue())) {
				entry.getKey().resume();
				return true;
			}
			return false;
		});
	}

	/**
	 * Checks wide limits, because machines may be slow, and prints the measured times.
	 */
	@Test
	void nextProcessTakesOver() {
		WorkerProcess holder = start().await("READY");
		holder.send("lock");
		holder.await("HELD");
		List<Long> afterRelease = new ArrayList<>();
		List<Long> afterDeath = new ArrayList<>();
		WorkerProcess waiter = start().await("READY");
		for (int i = 0; i < TAKEOVERS; i++) {
			WorkerProcess releasing = holder;
			afterRelease.add(takeover(waiter, () -> releasing.send("unlock")));
			afterDeath.add(takeover(releasing, waiter::kill));
			this.workers.remove(waiter);
			waiter = start().await("READY");
		}
		System.out.println("Takeover, lease " + LEASE.toMillis() + " ms: " + afterRelease + " ms after a release, "
				+ afterDeath + " ms after a death");
		assertThat(afterRelease).allSatisfy((millis) -> assertThat(millis).isLessThan(LEASE.toMillis() + 10_000));
		assertThat(afterDeath).allSatisfy((millis) -> assertThat(millis).isLessThan(LEASE.toMillis() + 10_000));
	}

	/** Returns the milliseconds from the end of a tenure to the next acquisition. */
	private long takeover(WorkerProcess waiter, Runnable end) {
		waiter.send("lock");
		waiter.await("REQUESTING");
		// Only for the measurement: the worker most likely waits by then.
		LockSupport.parkNanos(LEASE.toNanos() / 4);
		long start = System.nanoTime();
		end.run();
		waiter.await("HELD");
		return Duration.ofNanos(System.nanoTime() - start).toMillis();
	}

}

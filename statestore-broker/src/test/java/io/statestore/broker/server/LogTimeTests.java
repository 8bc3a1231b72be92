package io.statestore.broker.server;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.SessionLog;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Log time that a crash loses. */
class LogTimeTests {

	private static final Bytes KEY = Bytes.of("k");

	private final Scheduler scheduler = new Scheduler();

	private final RestartableStore store = new RestartableStore();

	LogTimeTests() {
		this.store.scheduler = this.scheduler;
	}

	@AfterEach
	void close() {
		this.store.close();
		this.scheduler.shutdownNow();
	}

	@Test
	void crashLosesAtMostFiveSecondsOfSessionTime() throws InterruptedException {
		SessionLog log = Objects.requireNonNull(this.store.server().sessionLog());
		log.append(new SessionChange.Connect("client", "", true, 60, null, true), SessionLog.Outcome.NONE);
		log.append(new SessionChange.Disconnect("client", 1, 60, true), SessionLog.Outcome.NONE);
		for (int i = 0; i < 4; i++) {
			this.store.pass(Duration.ofSeconds(5));
			long before = appliedIndex();
			this.scheduler.runNext();
			await("an entry").until(() -> appliedIndex() > before);
		}
		this.store.pass(Duration.ofMillis(4_900));
		this.store.kill();
		this.store.pass(Duration.ofMillis(39_999));
		SessionLog next = Objects.requireNonNull(this.store.server().sessionLog());
		next.expire((clientId) -> false);
		this.store.pass(Duration.ofMillis(1));
		assertThat(next.sessions().count()).isOne();
		next.expire((clientId) -> false);
		await("the end of the session").until(() -> next.sessions().count() == 0);
	}

	private void set(Duration expiry) {
		this.store.connect("client").call(new Command.Set(KEY, KEY, Condition.ALWAYS, expiry));
	}

	private Reply get() {
		return this.store.connect("client").call(new Command.Get(KEY)).reply();
	}

	private long appliedIndex() {
		return this.store.server().durability().orElseThrow().appliedIndex();
	}

	@Test
	void crashLosesAtMostFiveSeconds() throws InterruptedException {
		set(Duration.ofSeconds(60));
		for (int i = 0; i < 4; i++) {
			long before = appliedIndex();
			this.store.pass(Duration.ofSeconds(5));
			this.scheduler.runNext();
			await("an entry").until(() -> appliedIndex() > before);
		}
		this.store.pass(Duration.ofMillis(4_900));
		this.store.kill();
		this.store.pass(Duration.ofMillis(39_999));
		assertThat(get()).isEqualTo(new Reply.Value(KEY));
		this.store.pass(Duration.ofMillis(1));
		assertThat(get()).isEqualTo(new Reply.Missing());
	}

	@Test
	void closeLosesNothing() {
		set(Duration.ofSeconds(60));
		this.store.pass(Duration.ofSeconds(59));
		this.store.restart();
		this.store.pass(Duration.ofMillis(999));
		assertThat(get()).isEqualTo(new Reply.Value(KEY));
		this.store.pass(Duration.ofMillis(1));
		assertThat(get()).isEqualTo(new Reply.Missing());
	}

	/** A scheduler whose delayed tasks run on demand. */
	private static final class Scheduler extends ScheduledThreadPoolExecutor {

		private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

		Scheduler() {
			super(1);
		}

		void runNext() throws InterruptedException {
			Runnable task = this.tasks.poll(10, TimeUnit.SECONDS);
			assertThat(task).as("a scheduled task").isNotNull();
			task.run();
		}

		@Override
		public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
			if (delay == 0) {
				return super.schedule(task, delay, unit);
			}
			this.tasks.add(task);
			return super.schedule(() -> {
			}, 1, TimeUnit.DAYS);
		}

	}

}

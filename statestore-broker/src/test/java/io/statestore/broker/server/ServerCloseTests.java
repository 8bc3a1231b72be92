package io.statestore.broker.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

@Isolated("captures the log")
class ServerCloseTests {

	private final Scheduler scheduler = new Scheduler();

	@AfterEach
	void shutdown() {
		this.scheduler.shutdownNow();
	}

	@Test
	void notifiesExpiryAtDeadline() {
		AtomicLong nanos = new AtomicLong();
		ManualScheduler manual = new ManualScheduler(nanos::get);
		try (StateStoreServer server = new StateStoreServer(
				StateStoreServerOptions.defaults().withNanoClock(nanos::get).withScheduler(manual))) {
			RecordingConnection client = RecordingConnection.to(server, "client");
			Bytes key = Bytes.of("k");
			client.call(new Command.KeyNotify(key));
			client.exchange(client.draft(new Command.Set(key, Bytes.EMPTY, Condition.ALWAYS, Duration.ofMillis(150))));
			nanos.addAndGet(Duration.ofMillis(150).toNanos() - 1);
			manual.runDue();
			assertThat(client.takeEvents()).isEmpty();
			nanos.incrementAndGet();
			manual.runDue();
			assertThat(client.takeEvents()).hasSize(1);
		}
	}

	@Test
	void closeEndsRunningExpiry() {
		StateStoreServer server = new StateStoreServer(
				StateStoreServerOptions.defaults().withScheduler(this.scheduler));
		RecordingConnection client = RecordingConnection.to(server, "client");
		client.call(new Command.Set(Bytes.of("k"), Bytes.EMPTY, Condition.ALWAYS, Duration.ofMinutes(1)));
		assertThat(this.scheduler.tasks).hasSize(1);
		server.close();
		this.scheduler.tasks.get(0).run();
		assertThat(this.scheduler.tasks).hasSize(1);
		assertThat(this.scheduler.getQueue()).allMatch((task) -> ((ScheduledFuture<?>) task).isCancelled());
	}

	@Test
	void warnsOnceAboutShutDownScheduler() {
		Logger logger = (Logger) LoggerFactory.getLogger(ExpiryTimer.class);
		ListAppender<ILoggingEvent> messages = new ListAppender<>();
		messages.start();
		logger.setLevel(Level.WARN);
		logger.addAppender(messages);
		try (StateStoreServer server = new StateStoreServer(
				StateStoreServerOptions.defaults().withScheduler(this.scheduler))) {
			this.scheduler.shutdownNow();
			RecordingConnection client = RecordingConnection.to(server, "client");
			for (int i = 0; i < 3; i++) {
				client.call(new Command.Set(Bytes.of("k" + i), Bytes.EMPTY, Condition.ALWAYS, Duration.ofMinutes(1)));
			}
		}
		finally {
			logger.detachAppender(messages);
			logger.setLevel(null);
		}
		assertThat(messages.list).hasSize(1);
	}

	/** A reason code of 0x80 or above would mean that the write had no effect. */
	@Test
	void acknowledgesAppliedWriteWhenItsReplyFails() {
		try (StateStoreServer server = new StateStoreServer()) {
			RecordingConnection client = RecordingConnection.to(server, "client");
			client.failNextSend();
			assertThat(client.exchange(client.draft(new Command.Set(Bytes.of("k"), Bytes.of("v")))))
				.containsExactly(new RecordingConnection.Acknowledged(0));
			assertThat(client.exchange(client.draft(new Command.Get(Bytes.of("k"))))).hasSize(2);
		}
	}

	@Test
	void closeWaitsForRunningRequest(@TempDir Path directory) throws InterruptedException {
		CountDownLatch reached = new CountDownLatch(1);
		CountDownLatch released = new CountDownLatch(1);
		AtomicBoolean holds = new AtomicBoolean();
		StateStoreServer server = new StateStoreServer(
				StateStoreServerOptions.defaults().withStorage(StorageOptions.in(directory)).withWallClock(() -> {
					if (holds.getAndSet(false)) {
						reached.countDown();
						await(released);
					}
					return System.currentTimeMillis();
				}));
		RecordingConnection client = RecordingConnection.to(server, "client");
		IncomingRequest request = client.draft(new Command.Set(Bytes.of("k"), Bytes.EMPTY)).toRequest();
		holds.set(true);
		Thread requesting = new Thread(() -> server.request(request));
		requesting.start();
		await(reached);
		Thread closing = new Thread(server::close);
		closing.start();
		// Long enough for the writer to end before the request is appended
		closing.join(300);
		released.countDown();
		assertThat(client.take()).isInstanceOf(OutgoingMessage.class);
		assertThat(client.take()).isEqualTo(new RecordingConnection.Acknowledged(0));
		closing.join(10_000);
		requesting.join(10_000);
		assertThat(closing.isAlive()).isFalse();
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static final class Scheduler extends ScheduledThreadPoolExecutor {

		final List<Runnable> tasks = new CopyOnWriteArrayList<>();

		Scheduler() {
			super(1);
		}

		@Override
		public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
			this.tasks.add(task);
			return super.schedule(task, delay, unit);
		}

	}

}

package io.statestore.broker.server;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ServerCloseTests {

	private final Scheduler scheduler = new Scheduler();

	@AfterEach
	void shutdown() {
		this.scheduler.shutdownNow();
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

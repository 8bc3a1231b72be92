package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.statestore.client.ClientResources;
import io.statestore.time.TimeSource;

/** Time of the {@link ClientResources}, and the random numbers of the system. */
record SystemTime(ClientResources resources) implements LockTime {

	@Override
	public long nanoTime() {
		return this.resources.time().nanoTime();
	}

	@Override
	public Runnable schedule(Duration delay, Runnable task) {
		ScheduledFuture<?> future = this.resources.timer().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
		return () -> future.cancel(false);
	}

	@Override
	public TimeSource source() {
		return this.resources.time();
	}

	@Override
	public double random() {
		return ThreadLocalRandom.current().nextDouble();
	}

}

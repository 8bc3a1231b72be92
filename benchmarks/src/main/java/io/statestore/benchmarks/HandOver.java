package io.statestore.benchmarks;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.statestore.test.JavaProcess;

/**
 * Measures how long a lock takes to pass from this process to another process that waits
 * for it. Both processes read the same machine clock.
 */
final class HandOver {

	private static final long WARM_UP_SECONDS = 4;

	/** Settling time before the lock is released, in milliseconds. */
	private static final long SETTLE_MILLIS = 20;

	/** Marks the other process's answers among the lines of its log. */
	private static final String MARK = "> ";

	private final Lock lock;

	private final BlockingQueue<Long> times = new LinkedBlockingQueue<>();

	private final JavaProcess other;

	/**
	 * Starts the other process and hands over at full speed for a while, because the code
	 * would still be uncompiled after a few dozen times.
	 */
	HandOver(LockScenarios.Kind kind, int port, Resources resources) throws Exception {
		this.lock = kind.open(port, resources);
		this.other = resources.add(Server.java(HandOver.class).arguments(kind.name(), port).onLine((line) -> {
			if (line.startsWith(MARK)) {
				this.times.add(Long.parseLong(line.substring(MARK.length())));
			}
		}).start());
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WARM_UP_SECONDS);
		while (System.nanoTime() < end) {
			handOver(1);
		}
	}

	double measure() throws Exception {
		return Measures.median(30, () -> handOver(SETTLE_MILLIS));
	}

	private long handOver(long settleMillis) throws Exception {
		this.lock.lock();
		this.other.write("");
		// The other process is about to wait.
		nextTime();
		Thread.sleep(settleMillis);
		long start = System.nanoTime();
		this.lock.unlock();
		return nextTime() - start;
	}

	private long nextTime() throws IOException, InterruptedException {
		Long time = this.times.poll(1, TimeUnit.MINUTES);
		if (time == null) {
			throw new IOException("The other process does not answer:\n" + this.other.output() + this.other.errors());
		}
		return time;
	}

	/**
	 * Runs the other process. For each byte of standard input, it acquires the lock and
	 * prints the time before and after.
	 */
	public static void main(String[] args) throws Exception {
		try (Resources resources = new Resources()) {
			Lock lock = LockScenarios.Kind.valueOf(args[0]).open(Integer.parseInt(args[1]), resources);
			while (System.in.read() >= 0) {
				System.out.println(MARK + System.nanoTime());
				lock.lock();
				long end = System.nanoTime();
				lock.unlock();
				System.out.println(MARK + end);
			}
		}
	}

}

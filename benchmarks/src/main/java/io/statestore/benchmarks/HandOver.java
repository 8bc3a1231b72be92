package io.statestore.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/**
 * Hand-over of a lock that this process releases and another process waits for. Both
 * processes read the same clock of the machine.
 */
final class HandOver implements Implementation {

	/** Settling time before the lock is released. */
	private static final long SETTLE_MILLIS = 20;

	/** Marks lines of the protocol between the processes, among lines of a log. */
	private static final String MARK = "> ";

	private static final String WAITING = MARK + "waiting";

	private final String name;

	private final boolean quick;

	private final Locks locks;

	private final Lock lock;

	private final Process other;

	private final PrintStream toOther;

	private final BufferedReader fromOther;

	HandOver(String name, LockKind kind, int port, boolean quick) throws Exception {
		this.name = name;
		this.quick = quick;
		this.locks = kind.open(port);
		this.lock = this.locks.obtain("benchmark/hand-over");
		this.other = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), HandOver.class.getName(), kind.name(), String.valueOf(port))
			.redirectErrorStream(true)
			.start();
		this.toOther = new PrintStream(this.other.getOutputStream(), true);
		this.fromOther = this.other.inputReader();
		warmUp();
	}

	/**
	 * Runs hand-overs at full speed, because a few dozen would leave the code uncompiled.
	 */
	private void warmUp() throws Exception {
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(this.quick ? 2 : 8);
		while (System.nanoTime() < end) {
			handOver(1);
		}
	}

	@Override
	public String name() {
		return this.name;
	}

	/** Returns the median in microseconds. */
	@Override
	public double measure() throws Exception {
		long[] nanos = new long[this.quick ? 20 : 30];
		for (int i = 0; i < nanos.length; i++) {
			nanos[i] = handOver(SETTLE_MILLIS);
		}
		Arrays.sort(nanos);
		return nanos[nanos.length / 2] / 1000.0;
	}

	private long handOver(long settleMillis) throws Exception {
		this.lock.lock();
		this.toOther.println();
		if (!read().equals(WAITING)) {
			throw new IllegalStateException(this.name + ": the other process is not waiting");
		}
		Thread.sleep(settleMillis);
		long start = System.nanoTime();
		this.lock.unlock();
		return Long.parseLong(read().substring(MARK.length())) - start;
	}

	private String read() throws IOException {
		StringBuilder log = new StringBuilder();
		for (String line = this.fromOther.readLine(); line != null; line = this.fromOther.readLine()) {
			if (line.startsWith(MARK)) {
				return line;
			}
			log.append(line).append('\n');
		}
		throw new IOException(this.name + ": the other process has ended\n" + log);
	}

	@Override
	public void close() {
		this.other.destroy();
		this.locks.close();
	}

	/**
	 * Main method of the other process. It acquires the lock once for each line of its
	 * input, and prints the time at which it got the lock.
	 */
	public static void main(String[] args) throws IOException {
		try (Locks locks = LockKind.valueOf(args[0]).open(Integer.parseInt(args[1]))) {
			Lock lock = locks.obtain("benchmark/hand-over");
			BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
			while (orders.readLine() != null) {
				System.out.println(WAITING);
				lock.lock();
				long end = System.nanoTime();
				lock.unlock();
				System.out.println(MARK + end);
			}
		}
	}

}

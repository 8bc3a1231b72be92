package io.statestore.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/**
 * Hand-over of a lock that this process releases and another process waits for. Both
 * processes read the same clock of the machine.
 */
final class HandOver implements AutoCloseable {

	private static final long WARM_UP_SECONDS = 4;

	/** Settling time before the lock is released. */
	private static final long SETTLE_MILLIS = 20;

	/** Marks lines of the protocol between the processes, among lines of a log. */
	private static final String MARK = "> ";

	private final LockKind.Locks locks;

	private final Lock lock;

	private final Process other;

	private final PrintStream toOther;

	private final BufferedReader fromOther;

	/**
	 * Runs hand-overs at full speed, because a few dozen would leave the code uncompiled.
	 */
	HandOver(LockKind kind, int port) throws Exception {
		this.locks = kind.open(port);
		this.lock = this.locks.obtain().apply("benchmark/hand-over");
		this.other = new ProcessBuilder(
				ServerProcess.java("-Xmx512m", HandOver.class.getName(), kind.name(), String.valueOf(port)))
			.redirectErrorStream(true)
			.start();
		this.toOther = new PrintStream(this.other.getOutputStream(), true);
		this.fromOther = this.other.inputReader();
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
		this.toOther.println();
		// It waits
		read();
		Thread.sleep(settleMillis);
		long start = System.nanoTime();
		this.lock.unlock();
		return read() - start;
	}

	private long read() throws IOException {
		List<String> log = new ArrayList<>();
		String marked = this.fromOther.lines()
			.peek(log::add)
			.filter((line) -> line.startsWith(MARK))
			.findFirst()
			.orElseThrow(() -> new IOException("The other process has ended:\n" + String.join("\n", log)));
		return Long.parseLong(marked.substring(MARK.length()));
	}

	@Override
	public void close() {
		this.other.destroy();
		this.locks.close();
	}

	/**
	 * Main method of the other process. It acquires the lock once for each line of its
	 * input. It prints the time before, and the time at which it got the lock.
	 */
	public static void main(String[] args) throws Exception {
		try (LockKind.Locks locks = LockKind.valueOf(args[0]).open(Integer.parseInt(args[1]))) {
			Lock lock = locks.obtain().apply("benchmark/hand-over");
			BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
			while (orders.readLine() != null) {
				System.out.println(MARK + System.nanoTime());
				lock.lock();
				long end = System.nanoTime();
				lock.unlock();
				System.out.println(MARK + end);
			}
		}
	}

}

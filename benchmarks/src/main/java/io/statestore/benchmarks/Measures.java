package io.statestore.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/** Measures latencies in microseconds and rates per second. */
final class Measures {

	static final int IN_FLIGHT = 256;

	static final int SEQUENTIAL_CALLS = 2_000;

	/** Duration of a round that measures a rate, in nanoseconds. */
	static final long ROUND_NANOS = 500_000_000;

	private Measures() {
	}

	/**
	 * Returns the median of measured times, in microseconds.
	 * @param nanos measures a time in nanoseconds
	 */
	static double median(int count, Callable<Long> nanos) throws Exception {
		long[] all = new long[count];
		for (int i = 0; i < count; i++) {
			all[i] = nanos.call();
		}
		return percentile(all, 0.5);
	}

	/** Returns a percentile of nanosecond times, in microseconds. */
	static double percentile(long[] nanos, double percentile) {
		Arrays.sort(nanos);
		return nanos[(int) (percentile * (nanos.length - 1))] / 1000.0;
	}

	/** Returns the median time of a call. */
	static double sequential(Caller caller) throws Exception {
		return median(SEQUENTIAL_CALLS, () -> time(caller));
	}

	/**
	 * Returns the median time of a call when all threads sleep before each call. This is
	 * an idle application's round trip, the reference for handing over a lock.
	 */
	static double afterSilence(Caller caller) throws Exception {
		return median(30, () -> {
			Thread.sleep(20);
			return time(caller);
		});
	}

	/**
	 * Returns a percentile of the times of sequential calls. A pause after each call
	 * leaves processor time for other work.
	 */
	static double percentile(Caller caller, double percentile, BooleanSupplier more, Duration pause) throws Exception {
		LongStream.Builder nanos = LongStream.builder();
		do {
			nanos.add(time(caller));
			LockSupport.parkNanos(pause.toNanos());
		}
		while (more.getAsBoolean());
		return percentile(nanos.build().toArray(), percentile);
	}

	/** Returns a condition that holds for a given time from now. */
	static BooleanSupplier lasting(Duration duration) {
		long start = System.nanoTime();
		return () -> System.nanoTime() - start < duration.toNanos();
	}

	private static long time(Caller caller) throws Exception {
		long start = System.nanoTime();
		caller.await().call();
		return System.nanoTime() - start;
	}

	/** Returns the number of calls per second, with 256 calls in flight. */
	static double inFlight(Caller caller) throws Exception {
		return inFlight(caller, ROUND_NANOS);
	}

	/**
	 * Returns the same as {@link #inFlight}, in a longer round for stores that write to
	 * disk.
	 */
	static double inFlightOnDisk(Caller caller) throws Exception {
		return inFlight(caller, 2 * ROUND_NANOS);
	}

	private static double inFlight(Caller caller, long nanos) throws Exception {
		long start = System.nanoTime();
		return send(caller, IN_FLIGHT, new LongAdder(), (sent) -> System.nanoTime() - start < nanos);
	}

	/** Makes a number of calls and waits until all have succeeded. */
	static void make(Caller caller, int calls, int inFlight) throws Exception {
		LongAdder done = new LongAdder();
		send(caller, inFlight, done, (sent) -> sent < calls);
		if (done.sum() < calls) {
			throw new IllegalStateException(calls - done.sum() + " calls have failed");
		}
	}

	/**
	 * Returns the rate of calls that had succeeded when the last call was sent, per
	 * second.
	 */
	private static double send(Caller caller, int inFlight, LongAdder done, LongPredicate more) throws Exception {
		Semaphore permits = new Semaphore(inFlight);
		long start = System.nanoTime();
		for (long sent = 0; more.test(sent); sent++) {
			permits.acquire();
			caller.send().get().whenComplete((reply, failure) -> {
				if (failure == null) {
					done.increment();
				}
				permits.release();
			});
		}
		double rate = perSecond(done.sum(), start);
		permits.acquire(inFlight);
		return rate;
	}

	/** Returns the number of calls per second made by 64 blocking threads. */
	static double blocking(Caller caller) throws Exception {
		return blocking(Collections.nCopies(64, caller.await()));
	}

	/** Returns the number of calls per second, each made repeatedly by a thread. */
	static double blocking(List<? extends Callable<?>> calls) throws Exception {
		long start = System.nanoTime();
		LongAdder done = new LongAdder();
		List<Callable<LongAdder>> tasks = new ArrayList<>();
		for (Callable<?> call : calls) {
			tasks.add(() -> {
				for (; System.nanoTime() - start < ROUND_NANOS; done.increment()) {
					call.call();
				}
				return done;
			});
		}
		onThreads(tasks);
		return perSecond(done.sum(), start);
	}

	/** Runs each task on a separate thread and returns the results. */
	static <T> List<T> onThreads(List<Callable<T>> tasks) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
		List<T> results = new ArrayList<>();
		for (Future<T> task : threads.invokeAll(tasks)) {
			results.add(task.get());
		}
		threads.shutdown();
		return results;
	}

	static double perSecond(long count, long startNanos) {
		return count * 1e9 / (System.nanoTime() - startNanos);
	}

}

package io.statestore.benchmarks;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/** Measurements of latencies in microseconds, and of rates per second. */
final class Measures {

	static final int IN_FLIGHT = 256;

	static final int SEQUENTIAL_CALLS = 2_000;

	private Measures() {
	}

	/** Returns the median of some times. */
	static double median(int count, Timed timed) throws Exception {
		long[] nanos = new long[count];
		for (int i = 0; i < count; i++) {
			nanos[i] = timed.nanos();
		}
		return percentile(nanos, 0.5);
	}

	/** Returns a percentile of times in nanoseconds, in microseconds. */
	static double percentile(long[] nanos, double percentile) {
		Arrays.sort(nanos);
		return nanos[(int) (percentile * (nanos.length - 1))] / 1000.0;
	}

	/** Returns the median time of a call. */
	static double sequential(Caller caller) throws Exception {
		return median(SEQUENTIAL_CALLS, () -> time(caller));
	}

	/**
	 * Returns the median time of a call, with all threads asleep before each call. This
	 * is the round trip of an idle application, the reference for the hand-over of a
	 * lock.
	 */
	static double afterSilence(Caller caller) throws Exception {
		return median(30, () -> {
			Thread.sleep(20);
			return time(caller);
		});
	}

	/**
	 * Returns a percentile of the times of sequential calls. A pause after each call
	 * leaves processor time to others.
	 */
	static double percentile(Caller caller, double percentile, Duration round, Duration pause) throws Exception {
		LongStream.Builder nanos = LongStream.builder();
		long start = System.nanoTime();
		while (System.nanoTime() - start < round.toNanos()) {
			nanos.add(time(caller));
			LockSupport.parkNanos(pause.toNanos());
		}
		return percentile(nanos.build().toArray(), percentile);
	}

	private static long time(Caller caller) throws Exception {
		long start = System.nanoTime();
		caller.await().call();
		return System.nanoTime() - start;
	}

	/** Returns the number of calls per second, with 256 calls in flight. */
	static double inFlight(Caller caller) throws Exception {
		return inFlight(caller, Duration.ofMillis(500));
	}

	/** Returns the number of calls per second in a round of a given duration. */
	static double inFlight(Caller caller, Duration round) throws Exception {
		long nanos = round.toNanos();
		long start = System.nanoTime();
		LongAdder done = new LongAdder();
		double[] rate = new double[1];
		send(caller, IN_FLIGHT, done, (sent) -> {
			if (System.nanoTime() - start < nanos) {
				return true;
			}
			rate[0] = perSecond(done.sum(), start);
			return false;
		});
		return rate[0];
	}

	/** Makes a number of calls, and waits until all have succeeded. */
	static void make(Caller caller, int calls, int inFlight) throws Exception {
		LongAdder done = new LongAdder();
		send(caller, inFlight, done, (sent) -> sent < calls);
		if (done.sum() < calls) {
			throw new IllegalStateException(calls - done.sum() + " calls have failed");
		}
	}

	private static void send(Caller caller, int inFlight, LongAdder done, LongPredicate more) throws Exception {
		Semaphore permits = new Semaphore(inFlight);
		for (long sent = 0; more.test(sent); sent++) {
			permits.acquire();
			caller.send().get().whenComplete((reply, failure) -> {
				if (failure == null) {
					done.increment();
				}
				permits.release();
			});
		}
		permits.acquire(inFlight);
	}

	/** Returns the number of calls per second of 64 blocking threads. */
	static double blocking(Caller caller) throws Exception {
		ExecutorService threads = Executors.newCachedThreadPool();
		long start = System.nanoTime();
		Callable<Integer> calls = () -> {
			int done = 0;
			for (; System.nanoTime() - start < 500_000_000; done++) {
				caller.await().call();
			}
			return done;
		};
		int done = 0;
		for (Future<Integer> thread : threads.invokeAll(Collections.nCopies(64, calls))) {
			done += thread.get();
		}
		threads.shutdown();
		return perSecond(done, start);
	}

	static double perSecond(long count, long startNanos) {
		return count * 1e9 / (System.nanoTime() - startNanos);
	}

	/** An action that returns a time. */
	@FunctionalInterface
	interface Timed {

		long nanos() throws Exception;

	}

}

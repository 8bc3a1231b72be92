package io.statestore.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/** Measurements of the latency and the rate of calls. */
final class CallMeasures {

	private CallMeasures() {
	}

	/** Returns the median time of a call in microseconds. */
	static double sequential(Caller caller, int calls) throws Exception {
		long[] nanos = new long[calls];
		for (int i = 0; i < nanos.length; i++) {
			long start = System.nanoTime();
			caller.callAndWait();
			nanos[i] = System.nanoTime() - start;
		}
		Arrays.sort(nanos);
		return nanos[nanos.length / 2] / 1000.0;
	}

	/**
	 * Returns a percentile of the times of sequential calls in microseconds. A pause
	 * after each call leaves processor time to others.
	 */
	static double percentile(Caller caller, double percentile, Duration round, Duration pause) throws Exception {
		List<Long> nanos = new ArrayList<>();
		long first = System.nanoTime();
		for (long start = first; start - first < round.toNanos(); start = System.nanoTime()) {
			caller.callAndWait();
			nanos.add(System.nanoTime() - start);
			LockSupport.parkNanos(pause.toNanos());
		}
		Collections.sort(nanos);
		return nanos.get((int) (percentile * (nanos.size() - 1))) / 1000.0;
	}

	/**
	 * Returns the median time of a call in microseconds, with all threads asleep before
	 * each call. This is the round trip of an idle application, the reference for the
	 * hand-over of a lock.
	 */
	static double afterSilence(Caller caller) throws Exception {
		long[] nanos = new long[30];
		for (int i = 0; i < nanos.length; i++) {
			Thread.sleep(20);
			long start = System.nanoTime();
			caller.callAndWait();
			nanos[i] = System.nanoTime() - start;
		}
		Arrays.sort(nanos);
		return nanos[nanos.length / 2] / 1000.0;
	}

	/** Returns the number of calls per second. */
	static double inFlight(Caller caller, int count) throws Exception {
		return inFlight(caller, count, Duration.ofMillis(500));
	}

	/** Returns the number of calls per second in a round of a given duration. */
	static double inFlight(Caller caller, int count, Duration round) throws Exception {
		Semaphore permits = new Semaphore(count);
		LongAdder done = new LongAdder();
		long duration = round.toNanos();
		long start = System.nanoTime();
		while (System.nanoTime() - start < duration) {
			permits.acquire();
			caller.call().whenComplete((reply, failure) -> {
				if (failure == null) {
					done.increment();
				}
				permits.release();
			});
		}
		long calls = done.sum();
		double seconds = (System.nanoTime() - start) / 1e9;
		permits.acquire(count);
		return calls / seconds;
	}

	/** Makes a number of calls, and waits until all have succeeded. */
	static void make(Caller caller, int calls, int inFlight) throws Exception {
		Semaphore permits = new Semaphore(inFlight);
		AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
		for (int i = 0; i < calls && failed.get() == null; i++) {
			permits.acquire();
			caller.call().whenComplete((reply, failure) -> {
				if (failure != null) {
					failed.set(failure);
				}
				permits.release();
			});
		}
		permits.acquire(inFlight);
		Throwable failure = failed.get();
		if (failure != null) {
			throw new IllegalStateException("A call failed", failure);
		}
	}

	/** Returns the number of calls per second of blocking threads. */
	static double blocking(Caller caller, int threads, ThreadFactory factory) throws Exception {
		LongAdder done = new LongAdder();
		CountDownLatch ended = new CountDownLatch(threads);
		long duration = TimeUnit.MILLISECONDS.toNanos(500);
		long start = System.nanoTime();
		Callable<Void> work = () -> {
			while (System.nanoTime() - start < duration) {
				caller.callAndWait();
				done.increment();
			}
			return null;
		};
		for (int i = 0; i < threads; i++) {
			factory.newThread(() -> {
				try {
					work.call();
				}
				catch (Exception ex) {
					ex.printStackTrace();
				}
				finally {
					ended.countDown();
				}
			}).start();
		}
		ended.await();
		return done.sum() / ((System.nanoTime() - start) / 1e9);
	}

}

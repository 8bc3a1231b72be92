package io.statestore.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.client.mqtt.BarePahoCaller;
import io.statestore.client.mqtt.Transport;

/** Calls, one after the other and many at once. */
final class CallScenarios {

	private final Servers servers;

	private final boolean quick;

	CallScenarios(Servers servers, boolean quick) {
		this.servers = servers;
		this.quick = quick;
	}

	List<Scenario> all() throws IOException {
		List<Scenario> scenarios = new ArrayList<>();
		int[] sizes = this.quick ? new int[] { 100 } : new int[] { 100, 4096 };
		Operation[] operations = this.quick ? new Operation[] { Operation.GET } : Operation.values();
		int[] inFlight = this.quick ? new int[] { 256 } : new int[] { 16, 64, 256 };
		for (int size : sizes) {
			for (Operation operation : operations) {
				scenarios.add(new Scenario("sequential " + operation + ", " + size + " B", "us",
						contestants(operation, size, this::sequential)));
				for (int count : inFlight) {
					scenarios.add(new Scenario(operation + ", " + size + " B, " + count + " in flight", "1/s",
							contestants(operation, size, (caller) -> inFlight(caller, count))));
				}
			}
			scenarios.add(new Scenario("GET, " + size + " B, after 20 ms of silence", "us",
					contestants(Operation.GET, size, this::afterSilence)));
			scenarios.add(new Scenario("GET, " + size + " B, 64 blocking threads", "1/s",
					contestants(Operation.GET, size, (caller) -> blocking(caller, 64))));
		}
		return scenarios;
	}

	private List<Contestant.Factory> contestants(Operation operation, int size, Measure measure) throws IOException {
		List<Contestant.Factory> contestants = new ArrayList<>();
		contestants.add(
				() -> of("ours, embedded broker", Callers.template(this.servers.embedded(), operation, size), measure));
		contestants.add(() -> of("ours on HiveMQ client, embedded broker",
				Callers.template(this.servers.embedded(), Transport.HIVEMQ, operation, size), measure));
		contestants.add(() -> of("ours, standalone broker",
				Callers.template(this.servers.standalone(), operation, size), measure));
		if (operation == Operation.GET) {
			contestants.add(
					() -> of("bare Paho, embedded broker", bare(new BarePahoCaller(this.servers.embedded())), measure));
			contestants.add(() -> of("bare HiveMQ client, embedded broker",
					new BareHiveMqCaller(this.servers.embedded()), measure));
		}
		OptionalInt mosquitto = this.servers.mosquitto();
		if (mosquitto.isPresent()) {
			contestants.add(() -> of("ours, gateway on Mosquitto",
					Callers.template(mosquitto.getAsInt(), operation, size), measure));
		}
		OptionalInt redis = this.servers.redis();
		if (redis.isPresent()) {
			contestants.add(() -> of("Lettuce on Redis", Callers.lettuce(redis.getAsInt(), operation, size), measure));
		}
		return contestants;
	}

	private static Caller bare(BarePahoCaller bare) {
		return new Caller() {

			@Override
			public java.util.concurrent.CompletableFuture<?> call() {
				return bare.call();
			}

			@Override
			public void close() {
				bare.close();
			}

		};
	}

	private static Contestant of(String name, Caller caller, Measure measure) {
		return new Contestant() {

			@Override
			public String name() {
				return name;
			}

			@Override
			public double measure() throws Exception {
				return measure.of(caller);
			}

			@Override
			public void close() throws Exception {
				caller.close();
			}

		};
	}

	/** The median of single calls, in microseconds. */
	private double sequential(Caller caller) throws Exception {
		long[] nanos = new long[this.quick ? 3000 : 10_000];
		for (int i = 0; i < nanos.length; i++) {
			long start = System.nanoTime();
			caller.callAndWait();
			nanos[i] = System.nanoTime() - start;
		}
		Arrays.sort(nanos);
		return nanos[nanos.length / 2] / 1000.0;
	}

	/**
	 * As above, but everybody has gone to sleep before each call: what a round trip costs
	 * an application that has little to do, and the yardstick for the hand-over of a
	 * lock.
	 */
	private double afterSilence(Caller caller) throws Exception {
		long[] nanos = new long[this.quick ? 30 : 100];
		for (int i = 0; i < nanos.length; i++) {
			Thread.sleep(20);
			long start = System.nanoTime();
			caller.callAndWait();
			nanos[i] = System.nanoTime() - start;
		}
		Arrays.sort(nanos);
		return nanos[nanos.length / 2] / 1000.0;
	}

	/** Calls in a second. */
	private double inFlight(Caller caller, int count) throws Exception {
		Semaphore permits = new Semaphore(count);
		LongAdder done = new LongAdder();
		long duration = TimeUnit.MILLISECONDS.toNanos(this.quick ? 700 : 1500);
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

	private double blocking(Caller caller, int threads) throws Exception {
		LongAdder done = new LongAdder();
		CountDownLatch ended = new CountDownLatch(threads);
		long duration = TimeUnit.MILLISECONDS.toNanos(this.quick ? 700 : 1500);
		long start = System.nanoTime();
		Callable<Void> work = () -> {
			while (System.nanoTime() - start < duration) {
				caller.callAndWait();
				done.increment();
			}
			return null;
		};
		for (int i = 0; i < threads; i++) {
			new Thread(() -> {
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

	/** One round of one caller. */
	@FunctionalInterface
	private interface Measure {

		double of(Caller caller) throws Exception;

	}

}

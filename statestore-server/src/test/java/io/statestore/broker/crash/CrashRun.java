package io.statestore.broker.crash;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;

import io.statestore.broker.conformance.StandaloneProcess;

/** Repeatedly kills a broker under load, and restarts it on the same port. */
final class CrashRun {

	/** Minimum number of requests answered between two kills. */
	private static final int MIN_REQUESTS = 200;

	private static final int MAX_MORE_REQUESTS = 2_000;

	/** Starts a broker on the given port, 0 for any free port. */
	private final IntFunction<StandaloneProcess> starter;

	private final Random random;

	private Event disturbance = (broker) -> {
	};

	private Event outage = (broker) -> {
	};

	private boolean changesSessions = true;

	CrashRun(IntFunction<StandaloneProcess> starter, long seed) {
		this.starter = starter;
		this.random = new Random(seed);
	}

	/** Action that a test performs in each round. */
	interface Event {

		void occur(StandaloneProcess broker) throws Exception;

	}

	/** Sets what happens while clients send requests, before each kill. */
	CrashRun disturbedBy(Event disturbance) {
		this.disturbance = disturbance;
		return this;
	}

	/** Sets what happens between each kill and the next start. */
	CrashRun withOutage(Event outage) {
		this.outage = outage;
		return this;
	}

	/**
	 * Lets clients subscribe only once, because subscribing also forces earlier writes.
	 */
	CrashRun withoutSessionChanges() {
		this.changesSessions = false;
		return this;
	}

	CrashReport run(int kills) throws Exception {
		StandaloneProcess broker = this.starter.apply(0);
		int port = broker.port();
		List<Duration> restarts = new ArrayList<>();
		try (Load load = new Load(port, this.changesSessions, this.random.nextLong())) {
			for (int kill = 0; kill < kills; kill++) {
				load.resume();
				load.await(MIN_REQUESTS, broker);
				this.disturbance.occur(broker);
				load.await(this.random.nextInt(MAX_MORE_REQUESTS), broker);
				load.pause();
				broker.kill();
				this.outage.occur(broker);
				long start = System.nanoTime();
				broker = this.starter.apply(port);
				restarts.add(Duration.ofNanos(System.nanoTime() - start));
				load.audit();
			}
			load.resume();
			load.await(MIN_REQUESTS, broker);
			load.finish();
			load.audit();
			return new CrashAnalysis(load.recorder()).report(restarts);
		}
		catch (Exception | AssertionError ex) {
			System.out.println("Log of the broker:\n" + broker.log());
			throw ex;
		}
		finally {
			broker.kill();
		}
	}

}

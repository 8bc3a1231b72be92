package io.statestore.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import javax.net.SocketFactory;

import io.statestore.client.lock.LockLostEvent;
import io.statestore.client.lock.LockMonitor;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;

/**
 * Latency of sequential SETs while other clients exchange ordinary messages and another
 * client holds locks. A scenario fails if a lock is lost.
 */
final class FairnessScenarios {

	private static final int KEYS = 10_000;

	private static final int MESSAGES_PER_SECOND = 5_000;

	private static final Duration ROUND = Duration.ofSeconds(2);

	private static final int LOCKS = 10;

	private static final Duration LEASE = Duration.ofSeconds(1);

	private final DurabilityScenarios servers;

	FairnessScenarios(DurabilityScenarios servers) {
		this.servers = servers;
	}

	List<Scenario> all() {
		List<Scenario> scenarios = new ArrayList<>();
		for (DurableServer server : List.of(DurableServer.INTERVAL, DurableServer.ALWAYS)) {
			String name = "sequential SET with " + MESSAGES_PER_SECOND + " messages per second of QoS 1, " + server;
			scenarios.add(new Scenario(name + ", 99th percentile", "us", implementations(server, 0.99),
					List.of(Goal.atMost(Load.RECEIVED.text, Load.NONE.text, 2),
							Goal.atMost(Load.QUEUED.text, Load.NONE.text, 2))));
			scenarios.add(new Scenario(name + ", median", "us", implementations(server, 0.5)));
		}
		return scenarios;
	}

	private List<Implementation.Factory> implementations(DurableServer server, double percentile) {
		List<Implementation.Factory> implementations = new ArrayList<>();
		for (Load load : Load.values()) {
			implementations.add(() -> new UnderLoad(load, this.servers.process(server).port(), percentile));
		}
		return implementations;
	}

	private enum Load {

		NONE("no messages"), RECEIVED("messages to a subscriber"), QUEUED("messages queued for an absent subscriber");

		private final String text;

		Load(String text) {
			this.text = text;
		}

	}

	/** A client that makes the calls, and one that holds locks. */
	private static final class UnderLoad implements Implementation {

		private final Queue<LockLostEvent.Reason> lost = new ConcurrentLinkedQueue<>();

		private final Load load;

		private final int port;

		private final double percentile;

		private final Caller caller;

		private final Client holder;

		private final StateStoreLockRegistry locks;

		UnderLoad(Load load, int port, double percentile) {
			this.load = load;
			this.port = port;
			this.percentile = percentile;
			this.caller = KeyCallers.ours(port, KEYS);
			this.holder = new Client(port);
			this.locks = new StateStoreLockRegistry(this.holder.template,
					LockOptions.DEFAULT.withLease(LEASE).withStopTimeout(Duration.ZERO));
			this.locks.addMonitor(new LockMonitor() {

				@Override
				public void lost(LockLostEvent.Reason reason) {
					UnderLoad.this.lost.add(reason);
				}

			});
			for (int i = 0; i < LOCKS; i++) {
				this.locks.obtain(load + "/" + percentile + '/' + i).lock();
			}
		}

		@Override
		public String name() {
			return this.load.text;
		}

		@Override
		public double measure() throws Exception {
			double latency = (this.load == Load.NONE) ? latency() : latencyUnderLoad();
			if (!this.lost.isEmpty()) {
				throw new IllegalStateException("Leases were lost: " + this.lost);
			}
			return latency;
		}

		private double latency() throws Exception {
			return CallMeasures.percentile(this.caller, this.percentile, ROUND, Duration.ZERO);
		}

		private double latencyUnderLoad() throws Exception {
			try (MessageLoad messages = new MessageLoad(SocketFactory.getDefault(), this.port, 1, 1, true)) {
				if (this.load == Load.QUEUED) {
					messages.disconnectSubscribers();
				}
				messages.start(MESSAGES_PER_SECOND);
				double latency = latency();
				if (messages.slowest() < 0.95 * MESSAGES_PER_SECOND * ROUND.toSeconds()) {
					throw new IllegalStateException("Only " + messages.slowest() + " messages arrived");
				}
				return latency;
			}
		}

		@Override
		public void close() throws Exception {
			this.locks.stop();
			this.holder.close();
			this.caller.close();
		}

	}

}

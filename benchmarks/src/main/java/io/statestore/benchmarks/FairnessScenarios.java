package io.statestore.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

import javax.net.SocketFactory;

import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockLostEvent;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;

/**
 * Latency of sequential SETs while other clients exchange ordinary messages and another
 * client holds locks. A scenario fails if a lock is lost.
 *
 * @param servers the servers
 */
record FairnessScenarios(Servers servers) {

	private static final int MESSAGES_PER_SECOND = 5_000;

	private static final Duration ROUND = Duration.ofSeconds(2);

	private static final int LOCKS = 10;

	private static final Duration LEASE = Duration.ofSeconds(1);

	private static final String NONE = "no messages";

	private static final String RECEIVED = "messages to a subscriber";

	private static final String QUEUED = "messages queued for an absent subscriber";

	List<Scenario> all() {
		List<Scenario> scenarios = new ArrayList<>();
		for (Server server : List.of(DurabilityScenarios.INTERVAL, DurabilityScenarios.ALWAYS)) {
			String name = "sequential SET with " + MESSAGES_PER_SECOND + " messages per second of QoS 1, "
					+ server.name();
			scenarios.add(new Scenario(name + ", 99th percentile", "us", peers(server, 0.99),
					Goal.atMost(RECEIVED, NONE, 2), Goal.atMost(QUEUED, NONE, 2)));
			scenarios.add(new Scenario(name + ", median", "us", peers(server, 0.5)));
		}
		return scenarios;
	}

	private List<Peer> peers(Server server, double percentile) {
		return Stream.of(NONE, RECEIVED, QUEUED).map((load) -> new Peer(load, (resources) -> {
			int port = this.servers.port(server);
			Caller caller = resources.add(Calls.SETS.ours(List.of(port)));
			Client holder = resources.add(new Client(port));
			StateStoreLockRegistry locks = new StateStoreLockRegistry(holder.template,
					LockOptions.DEFAULT.withLease(LEASE).withStopTimeout(Duration.ZERO));
			resources.add(locks::stop);
			Queue<LockLostEvent.Reason> lost = new ConcurrentLinkedQueue<>();
			for (int i = 0; i < LOCKS; i++) {
				FencedLock lock = locks.obtain(load + "/" + percentile + '/' + i);
				lock.addLossListener((loss) -> lost.add(loss.reason()));
				lock.lock();
			}
			return () -> {
				double latency = latency(caller, percentile, port, load);
				if (!lost.isEmpty()) {
					throw new IllegalStateException("Leases were lost: " + lost);
				}
				return latency;
			};
		})).toList();
	}

	private static double latency(Caller caller, double percentile, int port, String load) throws Exception {
		if (load.equals(NONE)) {
			return Measures.percentile(caller, percentile, ROUND, Duration.ZERO);
		}
		try (MessageLoad messages = new MessageLoad(SocketFactory.getDefault(), port, 1, 1, true)) {
			if (load.equals(QUEUED)) {
				messages.disconnectSubscribers();
			}
			messages.start(MESSAGES_PER_SECOND);
			double latency = latency(caller, percentile, port, NONE);
			if (messages.slowest() < 0.95 * MESSAGES_PER_SECOND * ROUND.toSeconds()) {
				throw new IllegalStateException("Only " + messages.slowest() + " messages arrived");
			}
			return latency;
		}
	}

}

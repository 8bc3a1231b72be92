package io.statestore.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;

/**
 * Scenarios for the cost of a call: processor time of client and server with 256 calls in
 * flight, and memory that the client allocates. All servers run in separate processes.
 */
record CostScenarios(Servers servers) {

	private static final int CALLS = 50_000;

	private static final OperatingSystemMXBean PROCESS = (OperatingSystemMXBean) ManagementFactory
		.getOperatingSystemMXBean();

	private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	List<Scenario> all() {
		List<Scenario> scenarios = new ArrayList<>();
		for (Calls.Operation operation : Calls.Operation.values()) {
			String call = String.format(Locale.ROOT, "for each %s, 100 B, 256 in flight", operation);
			Calls calls = new Calls(operation, 1, 100);
			scenarios.add(scenario("processor time of the client " + call, "us", calls,
					(store) -> PROCESS.getProcessCpuTime() / 1000.0));
			scenarios.add(scenario("processor time of the server " + call, "us", calls, Store::processorMicros));
			scenarios.add(scenario("memory that the client allocates " + call, "B", calls,
					(store) -> Arrays.stream(THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())).sum()));
		}
		return scenarios;
	}

	private Scenario scenario(String name, String unit, Calls calls, Peer.Measure<Store> used) {
		return new Scenario(name, unit,
				List.of(peer("ours", Servers.STANDALONE, (store) -> calls.ours(store.port(0)), used),
						peer("Lettuce on Redis", Servers.REDIS, (store) -> store.connect(calls, 0), used)));
	}

	private Peer peer(String name, Server server, Function<Store, Caller> connect, Peer.Measure<Store> used) {
		return new Peer(name, (resources) -> {
			Store store = this.servers.store(server);
			Caller caller = resources.add(connect.apply(store));
			return () -> {
				double before = used.of(store);
				Measures.make(caller, CALLS, Measures.IN_FLIGHT);
				return (used.of(store) - before) / CALLS;
			};
		}).on(server);
	}

}

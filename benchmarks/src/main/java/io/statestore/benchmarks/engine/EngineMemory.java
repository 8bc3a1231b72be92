package io.statestore.benchmarks.engine;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;

import io.statestore.benchmarks.Implementation;
import io.statestore.benchmarks.Scenario;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command.Condition;

/** Heap per key, including a key of 22 and a value of 100 bytes. */
public final class EngineMemory implements Implementation {

	private final String name;

	private final int keys;

	private final IntFunction<Object> fill;

	private EngineMemory(String who, int keys, IntFunction<Object> fill) {
		this.name = String.format(Locale.ROOT, "%s, %,d keys", who, keys);
		this.keys = keys;
		this.fill = fill;
	}

	/** Returns the scenario, which compares the engine with a map. */
	public static Scenario scenario() {
		List<Implementation.Factory> implementations = new ArrayList<>();
		for (int keys : new int[] { 1_000_000, 100_000, 10_000 }) {
			implementations.add(() -> new EngineMemory("ours", keys, EngineMemory::engine));
		}
		implementations.add(() -> new EngineMemory("HashMap", 1_000_000, EngineMemory::map));
		return new Scenario("engine: heap per key, value of 100 B", "B", implementations);
	}

	private static Object engine(int keys) {
		EngineBenchmark.Store store = new EngineBenchmark.Store();
		store.keys = keys;
		store.size = 100;
		store.fill();
		return store;
	}

	private static Object map(int keys) {
		Requests requests = new Requests(keys, 100);
		Map<Bytes, byte[]> map = new HashMap<>();
		for (int i = 0; i < keys; i++) {
			map.put(Requests.key(i), requests.value().toArray());
		}
		return map;
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public double measure() {
		long before = usedMemory();
		Object store = this.fill.apply(this.keys);
		long after = usedMemory();
		Reference.reachabilityFence(store);
		return (double) (after - before) / this.keys;
	}

	private static long usedMemory() {
		System.gc();
		return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
	}

	@Override
	public void close() {
		// Holds no resources
	}

}

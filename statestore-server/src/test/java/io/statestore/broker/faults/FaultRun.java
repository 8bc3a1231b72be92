package io.statestore.broker.faults;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.crash.Recorder;
import io.statestore.protocol.Bytes;

/**
 * Causes faults under load, one or two at a time. A seed determines them, as far as real
 * time allows. Every kind occurs before any kind occurs again.
 */
final class FaultRun implements FaultKind.Context {

	private static final int MIN_FAULT_MILLIS = 500;

	private static final int MAX_FAULT_MILLIS = 6_000;

	private static final int MAX_REST_MILLIS = 2_500;

	private static final int CHECK_MILLIS = 50;

	private final Nodes nodes;

	private final Random random;

	private final Jumps jumps = new Jumps();

	private final Deque<FaultKind> next = new ArrayDeque<>();

	private final Map<FaultKind, Integer> faults = new EnumMap<>(FaultKind.class);

	private final AtomicInteger refusedByDisk = new AtomicInteger();

	private final AtomicInteger transfers = new AtomicInteger();

	private final List<Duration> recoveries = new ArrayList<>();

	private final long start = System.nanoTime();

	FaultRun(Nodes nodes, long seed) {
		this.nodes = nodes;
		this.random = new Random(seed);
	}

	@Override
	public Nodes nodes() {
		return this.nodes;
	}

	@Override
	public Random random() {
		return this.random;
	}

	@Override
	public void refusedByDisk() {
		this.refusedByDisk.incrementAndGet();
	}

	int refusals() {
		return this.refusedByDisk.get();
	}

	@Override
	public void transferred() {
		this.transfers.incrementAndGet();
	}

	int transfers() {
		return this.transfers.get();
	}

	@Override
	public void jumped(Duration by) {
		this.jumps.add(by);
	}

	FaultReport run(Duration duration) throws Exception {
		try (FaultLoad load = new FaultLoad(this.nodes.addresses(), this.random.nextLong())) {
			rest(load);
			while (System.nanoTime() - this.start < duration.toNanos()) {
				disturb(load);
				rest(load);
			}
			load.finish();
			Map<Bytes, Bytes> values = load.audit();
			List<String> missing = load.awaitLastValues(values);
			return report(load, missing);
		}
	}

	private FaultReport report(FaultLoad load, List<String> missing) {
		Recorder recorder = new Recorder();
		load.recorder().operations().stream().map(this.jumps::allow).forEach(recorder::add);
		load.recorder().notifications().forEach(recorder::add);
		List<Holding> exact = load.holdings().stream().filter((holding) -> !this.jumps.concern(holding)).toList();
		return FaultReport.of(this, load, recorder, exact, missing);
	}

	/** Begins one or two faults, and ends them after some time. */
	private void disturb(FaultLoad load) throws Exception {
		List<FaultKind> kinds = nextKinds();
		Deque<Fault> begun = new ArrayDeque<>();
		for (FaultKind kind : kinds) {
			System.out.printf("%6.1f s %s%n", (System.nanoTime() - this.start) / 1e9, kind);
			this.faults.merge(kind, 1, Integer::sum);
			begun.push(kind.begin(this));
		}
		pause(load, MIN_FAULT_MILLIS + this.random.nextInt(MAX_FAULT_MILLIS - MIN_FAULT_MILLIS));
		while (!begun.isEmpty()) {
			begun.pop().end();
		}
		long healed = System.nanoTime();
		this.nodes.awaitReady();
		this.recoveries.add(Duration.ofNanos(System.nanoTime() - healed));
	}

	private List<FaultKind> nextKinds() {
		FaultKind first = nextKind();
		if (first == FaultKind.ROLLING_RESTART || this.random.nextInt(3) > 0) {
			return List.of(first);
		}
		FaultKind second = nextKind();
		if (second == FaultKind.ROLLING_RESTART) {
			this.next.addFirst(second);
			return List.of(first);
		}
		return List.of(first, second);
	}

	private FaultKind nextKind() {
		if (this.next.isEmpty()) {
			List<FaultKind> kinds = new ArrayList<>(FaultKind.of(this.nodes));
			Collections.shuffle(kinds, this.random);
			this.next.addAll(kinds);
		}
		return this.next.remove();
	}

	private void rest(FaultLoad load) throws Exception {
		pause(load, this.random.nextInt(MAX_REST_MILLIS));
	}

	private void pause(FaultLoad load, long millis) throws Exception {
		long end = System.nanoTime() + millis * 1_000_000;
		do {
			load.verify();
			Thread.sleep(CHECK_MILLIS);
		}
		while (System.nanoTime() < end);
	}

	Map<FaultKind, Integer> faults() {
		return this.faults;
	}

	List<Duration> recoveries() {
		return this.recoveries;
	}

	Duration duration() {
		return Duration.ofNanos(System.nanoTime() - this.start);
	}

}

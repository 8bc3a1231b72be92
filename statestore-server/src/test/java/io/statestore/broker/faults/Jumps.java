package io.statestore.broker.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.linearizability.Operation;
import io.statestore.protocol.Command;

/**
 * Jumps of nodes' monotonic clocks. The leader's jumps shorten leases, so a key may
 * expire early, by their sum. The checks allow exactly this.
 */
final class Jumps {

	private final List<Jump> jumps = new ArrayList<>();

	private record Jump(long time, long nanos) {
	}

	synchronized void add(Duration by) {
		this.jumps.add(new Jump(System.nanoTime(), by.toNanos()));
	}

	/** Returns an operation whose expiry may be early by the jumps' sum. */
	synchronized Operation allow(Operation operation) {
		Command.Set set = operation.set();
		if (set == null || set.expiry() == null) {
			return operation;
		}
		long early = nanosWithin(operation.invoked(), set.expiry().toNanos());
		Duration expiry = Duration.ofNanos(Math.max(1, set.expiry().toNanos() - early));
		return (early == 0) ? operation : new Operation(operation.client(),
				new Command.Set(set.key(), set.value(), set.condition(), expiry, set.expected()), operation.token(),
				operation.invoked(), operation.returned(), operation.reply(), operation.version());
	}

	/** Returns whether a lock may have expired early. */
	synchronized boolean concern(Holding holding) {
		long start = holding.from() - LockClient.LEASE.toNanos();
		return nanosWithin(start, holding.to() + LockClient.LEASE.toNanos() - start) > 0;
	}

	private long nanosWithin(long from, long length) {
		return this.jumps.stream()
			.filter((jump) -> jump.time >= from && jump.time <= from + length)
			.mapToLong(Jump::nanos)
			.sum();
	}

}

package io.statestore.broker.faults;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Numbers that serve as key suffixes. After some time, a new number replaces the last
 * number, so that each key's history is short and contains few requests with an unknown
 * outcome.
 */
final class Generations {

	private static final Duration LENGTH = Duration.ofSeconds(15);

	private final long start = System.nanoTime();

	/** Returns the current generation's number, starting from 0. */
	int current() {
		return (int) ((System.nanoTime() - this.start) / LENGTH.toNanos());
	}

	/** Returns the key suffix of the current generation. */
	String suffix() {
		return suffix(current());
	}

	static String suffix(int generation) {
		return "." + generation;
	}

	/** Returns the key suffixes of all generations so far. */
	List<String> suffixes() {
		return IntStream.rangeClosed(0, current()).mapToObj(Generations::suffix).toList();
	}

}

package io.statestore.broker.faults;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Numbers that end keys. A new one replaces the last after some time, so that the history
 * of each key is short, and few requests with an unknown outcome belong to it.
 */
final class Generations {

	private static final Duration LENGTH = Duration.ofSeconds(15);

	private final long start = System.nanoTime();

	/** Returns the number of the current generation, from 0. */
	int current() {
		return (int) ((System.nanoTime() - this.start) / LENGTH.toNanos());
	}

	/** Returns the end of the keys of the current generation. */
	String suffix() {
		return suffix(current());
	}

	static String suffix(int generation) {
		return "." + generation;
	}

	/** Returns the ends of the keys of all generations until now. */
	List<String> suffixes() {
		return IntStream.rangeClosed(0, current()).mapToObj(Generations::suffix).toList();
	}

}

package io.statestore.test;

import java.util.Random;

/**
 * Random numbers for a test. Each run has a different seed, which is printed and can be
 * set with {@code -Dtest.seed} to repeat the run.
 */
public final class TestRandom {

	private TestRandom() {
	}

	/**
	 * Creates a generator and prints its seed.
	 * @param test test class, printed with the seed
	 * @return a new generator
	 */
	public static Random create(Class<?> test) {
		long seed = Long.getLong("test.seed", System.nanoTime());
		System.out.println(test.getSimpleName() + " starts with -Dtest.seed=" + seed);
		return new Random(seed);
	}

}

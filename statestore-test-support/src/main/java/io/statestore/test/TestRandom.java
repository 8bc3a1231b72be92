package io.statestore.test;

import java.util.Random;

/**
 * Random numbers of a test. Each run has another seed, which is printed and can be
 * repeated with {@code -Dtest.seed}.
 */
public final class TestRandom {

	private TestRandom() {
	}

	/**
	 * Creates a generator and prints its seed.
	 * @param test class of the test
	 * @return the generator
	 */
	public static Random create(Class<?> test) {
		long seed = Long.getLong("test.seed", System.nanoTime());
		System.out.println(test.getSimpleName() + " starts with -Dtest.seed=" + seed);
		return new Random(seed);
	}

}

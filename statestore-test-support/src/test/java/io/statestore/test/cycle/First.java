package io.statestore.test.cycle;

/** Depends on {@link Second} in a nested class. */
public class First {

	static class Nested {

		Second second() {
			return new Second();
		}

	}

}

package io.statestore.test;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Runs code and converts an {@link IOException} to an unchecked exception. */
final class UncheckedIo {

	private UncheckedIo() {
	}

	static <T> T get(Source<T> source) {
		try {
			return source.get();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static void run(Action action) {
		get(() -> {
			action.run();
			return action;
		});
	}

	@FunctionalInterface
	interface Source<T> {

		T get() throws IOException;

	}

	@FunctionalInterface
	interface Action {

		void run() throws IOException;

	}

}

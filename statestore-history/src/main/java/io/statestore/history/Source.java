package io.statestore.history;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Position;
import org.jspecify.annotations.Nullable;

/** Where records come from. */
@FunctionalInterface
interface Source {

	/**
	 * Begin to read.
	 * @param from the first record, {@code null} for the first there is
	 */
	Cursor open(@Nullable Position from);

	/** Reads forward, for one thread; only close may be called by another. */
	interface Cursor extends AutoCloseable {

		/** The next record, {@code null} if it does not come in time. */
		@Nullable DafkaRecord next(long nanos) throws InterruptedException;

		/** The offset behind the last record known to exist, -1 if nothing is known. */
		long end();

		/** Ends a call of next, too. */
		@Override
		void close();

	}

}

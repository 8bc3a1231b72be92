package io.statestore.history;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Position;
import org.jspecify.annotations.Nullable;

/** Source of records. */
@FunctionalInterface
interface Source {

	/**
	 * Opens a cursor.
	 * @param from position of the first record, or {@code null} for the first available
	 * one
	 */
	Cursor open(@Nullable Position from);

	/** Reader of records, in order. Not thread-safe, except for {@link #close()}. */
	interface Cursor extends AutoCloseable {

		/** Returns the next record, or {@code null} if none arrived in time. */
		@Nullable DafkaRecord next(long nanos) throws InterruptedException;

		/** Returns the offset after the last known record, -1 if none is known. */
		long end();

		/** Ends reading. A waiting call of {@link #next} fails. */
		@Override
		void close();

	}

}

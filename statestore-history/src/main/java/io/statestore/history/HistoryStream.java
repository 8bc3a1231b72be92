package io.statestore.history;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Position;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Changes in version order: recorded ones first, then new ones as they arrive. Reads
 * ahead a limited amount and waits for the caller. No change is skipped silently, see
 * {@link #next}.
 * <p>
 * For one thread; only {@link #close()} may be called by another.
 */
public final class HistoryStream implements AutoCloseable {

	private final Source.Cursor cursor;

	private final HistoryQuery query;

	private long next;

	/** Whether {@link #next} must come next, and is not just the least. */
	private boolean begun;

	/** What is behind a gap that has been told of. */
	private @Nullable DafkaRecord behindGap;

	private @Nullable Version last;

	HistoryStream(Source source, HistoryQuery query) {
		this.cursor = source.open(query.position());
		this.query = query;
		this.begun = query.position() != null;
		this.next = (query.position() != null) ? query.position().offset() : 0;
	}

	/**
	 * The next change.
	 * @param timeout how long to wait for it
	 * @return the change, {@code null} if there was none in this time
	 * @throws HistoryException if what comes is no change or out of order, the stream was
	 * closed, or two stores write to the topic; and if changes are gone that should come
	 * next, because retention has removed them or no node has them. The following call
	 * continues after them
	 * @throws io.statestore.dafka.DafkaException if reading the disk fails
	 */
	public @Nullable HistoryChange next(Duration timeout) throws InterruptedException {
		return next(timeout, false);
	}

	/**
	 * The next change.
	 * @param overGaps whether to say nothing of what is gone
	 */
	@Nullable HistoryChange next(Duration timeout, boolean overGaps) throws InterruptedException {
		long end = System.nanoTime() + TimeUnit.NANOSECONDS.convert(timeout);
		while (true) {
			DafkaRecord record = take(Math.max(0, end - System.nanoTime()), overGaps);
			if (record == null) {
				return null;
			}
			HistoryChange change = read(record);
			if (this.query.matches(change)) {
				return change;
			}
		}
	}

	private @Nullable DafkaRecord take(long nanos, boolean overGaps) throws InterruptedException {
		DafkaRecord record = this.behindGap;
		this.behindGap = null;
		if (record == null) {
			record = this.cursor.next(nanos);
			if (record != null && this.begun && !overGaps && record.offset() > this.next) {
				this.behindGap = record;
				throw new HistoryException((record.offset() - this.next) + " changes from offset " + this.next + " of '"
						+ record.topic() + "' / " + record.partition()
						+ " on are gone: retention has removed them, or no node has them. Read again to continue"
						+ " after them");
			}
		}
		return record;
	}

	private HistoryChange read(DafkaRecord record) {
		HistoryChange change = ChangeCodec.decode(new Position(record.topic(), record.partition(), record.offset()),
				record.content().unwrap());
		if (this.last != null && change.version().compareTo(this.last) <= 0) {
			throw new HistoryException("The change at offset " + record.offset() + " of '" + record.topic() + "' / "
					+ record.partition() + " has version " + change.version() + ", the one before it " + this.last
					+ ": this is not the history of one store");
		}
		this.last = change.version();
		this.next = record.offset() + 1;
		this.begun = true;
		return change;
	}

	/**
	 * Returns the number of known changes that were not read, of any key; -1 while it is
	 * unknown. On a network, more changes may exist.
	 * @return number of changes, or -1
	 */
	public long lag() {
		long end = this.cursor.end();
		return (end < 0) ? -1 : Math.max(0, end - this.next);
	}

	long position() {
		return this.next;
	}

	/** Stop reading; a call of {@link #next} that waits ends with an exception. */
	@Override
	public void close() {
		this.cursor.close();
	}

}

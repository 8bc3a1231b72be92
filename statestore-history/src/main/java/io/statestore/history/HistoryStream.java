package io.statestore.history;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Position;
import io.statestore.history.HistoryChange.Operation;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Changes in version order: recorded ones first, then new ones as they arrive. The stream
 * reads ahead a limited amount and waits for the caller. It skips no change silently, see
 * {@link #next}.
 * <p>
 * Not thread-safe, except for {@link #close()}.
 */
public final class HistoryStream implements AutoCloseable {

	private final Source.Cursor cursor;

	private final HistoryQuery query;

	/** Offset of the next change. */
	private long next;

	/** Whether changes from {@link #next} on must not be missing. */
	private boolean begun;

	/** First record after a gap that was reported, {@code null} if there is none. */
	private @Nullable DafkaRecord behindGap;

	/** Gap of the broker that was reported, {@code null} if there is none. */
	private @Nullable HistoryChange gap;

	/** Whether a change was returned since the start, or the latest report of a gap. */
	private boolean returned;

	/** Version of the latest change. */
	private @Nullable Version last;

	HistoryStream(Source source, HistoryQuery query) {
		this.cursor = source.open(query.position());
		this.query = query;
		this.begun = query.position() != null;
		this.next = (query.position() != null) ? query.position().offset() : 0;
	}

	/**
	 * Returns the next change, and waits for it if necessary.
	 * @param timeout maximum time to wait
	 * @return the change, or {@code null} if none arrived in time
	 * @throws MissingChangesException if the next changes are unavailable, because
	 * retention has removed them, or no node has them. Also thrown at a
	 * {@link HistoryChange.Operation#GAP}, unless the gap is the first change that the
	 * stream returns. The following call continues with the next change, or with the gap
	 * @throws HistoryException if a record is not a change or out of order, if the stream
	 * is closed, or if several stores write to the topic
	 * @throws InterruptedException if the thread is interrupted while waiting
	 * @throws io.statestore.dafka.DafkaException if reading the disk fails
	 */
	public @Nullable HistoryChange next(Duration timeout) throws InterruptedException {
		return next(timeout, false);
	}

	/**
	 * Returns the next change, and waits for it if necessary.
	 * @param overGaps whether to skip unavailable changes silently
	 */
	@Nullable HistoryChange next(Duration timeout, boolean overGaps) throws InterruptedException {
		HistoryChange gap = this.gap;
		if (gap != null) {
			this.gap = null;
			return gap;
		}
		long end = System.nanoTime() + TimeUnit.NANOSECONDS.convert(timeout);
		while (true) {
			DafkaRecord record = take(Math.max(0, end - System.nanoTime()), overGaps);
			if (record == null) {
				return null;
			}
			HistoryChange change = read(record);
			if (this.query.matches(change)) {
				if (change.operation() == Operation.GAP && this.returned && !overGaps) {
					this.gap = change;
					throw missing(change);
				}
				this.returned = true;
				return change;
			}
		}
	}

	private static MissingChangesException missing(HistoryChange gap) {
		return new MissingChangesException("Changes before offset " + gap.position().offset() + " of '"
				+ gap.position().topic() + "' / " + gap.position().partition()
				+ " are missing: the broker could not write them. Read again to continue with the content of the"
				+ " store at that time");
	}

	private @Nullable DafkaRecord take(long nanos, boolean overGaps) throws InterruptedException {
		DafkaRecord record = this.behindGap;
		this.behindGap = null;
		if (record == null) {
			record = this.cursor.next(nanos);
			if (record != null && this.begun && !overGaps && record.offset() > this.next) {
				this.behindGap = record;
				this.returned = false;
				throw new MissingChangesException((record.offset() - this.next) + " changes from offset " + this.next
						+ " of '" + record.topic() + "' / " + record.partition()
						+ " on are unavailable: retention has removed them, or no node has them. Read again to"
						+ " continue after them");
			}
		}
		return record;
	}

	private HistoryChange read(DafkaRecord record) {
		HistoryChange change = ChangeCodec.decode(new Position(record.topic(), record.partition(), record.offset()),
				record.content().unwrap());
		if (this.last != null && change.version().compareTo(this.last) < (mayRepeatVersion(change) ? 0 : 1)) {
			throw new HistoryException("The change at offset " + record.offset() + " of '" + record.topic() + "' / "
					+ record.partition() + " has version " + change.version() + ", but the previous one has "
					+ this.last + ". The partition is not the history of a single store");
		}
		this.last = change.version();
		this.next = record.offset() + 1;
		this.begun = true;
		return change;
	}

	private static boolean mayRepeatVersion(HistoryChange change) {
		return switch (change.operation()) {
			case GAP, PRESENT, COMPLETE, CONTENT -> true;
			case START, SET, DELETE, EXPIRE -> false;
		};
	}

	/**
	 * Returns the number of known changes that were not read, of all keys. On a network,
	 * more changes may exist.
	 * @return number of changes, -1 while it is unknown
	 */
	public long lag() {
		long end = this.cursor.end();
		return (end < 0) ? -1 : Math.max(0, end - this.next);
	}

	/** Returns the offset of the next change. */
	long position() {
		return this.next;
	}

	/** Ends the stream. A waiting call of {@link #next} throws an exception. */
	@Override
	public void close() {
		this.cursor.close();
	}

}

package io.statestore.history;

import java.time.Duration;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Position;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Changes in the order of their versions, first those that are there, then those that
 * come. It reads ahead a bounded amount and waits for whoever takes them.
 * <p>
 * For one thread; only {@link #close()} may be called by another.
 */
public final class HistoryStream implements AutoCloseable {

	private final Source.Cursor cursor;

	private final HistoryQuery query;

	private long next;

	private @Nullable Version last;

	HistoryStream(Source source, HistoryQuery query) {
		this.cursor = source.open(query.position());
		this.query = query;
		this.next = (query.position() != null) ? query.position().offset() : 0;
	}

	/**
	 * The next change.
	 * @param timeout how long to wait for it
	 * @return the change, {@code null} if there was none in this time
	 * @throws HistoryException if what comes is no change or out of order, the stream was
	 * closed, or two stores write to the topic
	 * @throws io.statestore.dafka.DafkaException if reading the disk fails
	 */
	public @Nullable HistoryChange next(Duration timeout) throws InterruptedException {
		long end = System.nanoTime() + timeout.toNanos();
		while (true) {
			DafkaRecord record = this.cursor.next(Math.max(0, end - System.nanoTime()));
			if (record == null) {
				return null;
			}
			HistoryChange change = read(record);
			if (this.query.matches(change)) {
				return change;
			}
		}
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
		return change;
	}

	/**
	 * How many changes are known to exist that were not read yet, of whatever key; -1 as
	 * long as nobody has told. Over a network more may exist than is known.
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
